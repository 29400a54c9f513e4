import Foundation
import HTTP1
import LayoutModel
import Testing

@testable import LayoutAPI

/// The document is written by hand: here it is held to the tables that it describes, in both directions.
@Suite struct OpenAPIDocumentTests {
    private static func served() throws -> Document { try Document(OpenAPIDocument.joined()) }

    @Test func theDocumentDescribesTheRoutesAndNothingElse() throws {
        #expect(try Self.served().differences(from: Routes.all) == [])
    }

    @Test func theDocumentDescribesTheProblemsAndNothingElse() throws {
        #expect(try Self.served().differences(from: Problem.Code.allCases) == [])
    }

    @Test func theFaultsOfACatalogAreThoseOfTheDocument() throws {
        let codes = try #require(try Self.served().components.schemas["CatalogFault"]?.properties?["code"]?.enum)
        #expect(Set(codes) == Set(CatalogDraft.Fault.Code.allCases.map(\.rawValue)))
    }

    @Test(arguments: [
        ("\"operationId\": \"getPage\"", "\"operationId\": \"readPage\"", "getPage is called readPage"),
        ("\"/v1/users/{user}/page\"", "\"/v1/users/{user}/pages\"", "GET /v1/users/{user}/page is not documented"),
        ("\"/v1/users/{user}/page\"", "\"/v1/users/{user}/pages\"", "GET /v1/users/{user}/pages is no route"),
        ("\"layout:read\"", "\"admin\"", "getLayout wants admin, not layout:read"),
        ("#/components/parameters/Proposed", "#/components/parameters/PageSize", "getDragTargets has the query"),
        ("\"required\": false", "\"required\": true", "putFavorite: the content"),
        ("text/event-stream", "text/plain", "streamEvents does not answer text/event-stream"),
    ])
    func aDifferenceFromTheRoutesIsFound(text: String, planted: String, finding: String) throws {
        let document = try Document(Self.planted(text, planted))
        #expect(document.differences(from: Routes.all).contains { $0.hasPrefix(finding) })
    }

    @Test(arguments: [
        ("\"backup_exists\": {", "\"backup_there\": {", "backup_exists is not in the table"),
        ("\"backup_exists\": {", "\"backup_there\": {", "backup_there is no code"),
        ("\"statuses\": [409, 422]", "\"statuses\": [409]", "favorites_limit has the statuses"),
        ("\"title\": \"Busy\", \"statuses\"", "\"title\": \"Occupied\", \"statuses\"", "busy has the title"),
        ("\"busy\", \"draining\", \"unavailable\"", "\"draining\", \"unavailable\"", "busy is not among ProblemCode"),
    ])
    func aDifferenceFromTheProblemsIsFound(text: String, planted: String, finding: String) throws {
        let document = try Document(Self.planted(text, planted))
        #expect(document.differences(from: Problem.Code.allCases).contains { $0.hasPrefix(finding) })
    }

    private static func planted(_ text: String, _ other: String) throws -> [UInt8] {
        let document = String(decoding: OpenAPIDocument.joined(), as: UTF8.self)
        let place = try #require(document.range(of: text))
        return Array(document.replacingCharacters(in: place, with: other).utf8)
    }

    // MARK: As it is served

    @Test func theDocumentIsServedWithATagAndCompressed() async throws {
        let service = try await TestService()
        let plain = try await service.get("/openapi.json")
        #expect(plain.status == 200)
        #expect(plain.field("Content-Type") == "application/json")
        #expect(plain.octets == OpenAPIDocument.joined())
        let tag = try #require(plain.tag)
        let held = try await service.send(.get, "/openapi.json", ["If-None-Match": tag])
        #expect(held.status == 304)
        let coded = try await service.send(.get, "/openapi.json", ["Accept-Encoding": "gzip"])
        #expect(coded.field("Content-Encoding") == "gzip")
        #expect(coded.octets.count * 4 < plain.octets.count)
        #expect(try await service.send(.head, "/openapi.json").response.omitsContent)
    }
}

/// What of the document the tables have something to say about.
private struct Document: Decodable {
    var paths: [String: Item]
    var components: Components
    var problems: [String: Row]

    enum CodingKeys: String, CodingKey {
        case paths, components
        case problems = "x-problem-codes"
    }

    struct Components: Decodable {
        var parameters: [String: Parameter]
        var schemas: [String: Schema]
    }

    struct Parameter: Decodable {
        var name: String
        var `in`: String
    }

    final class Schema: Decodable {
        let `enum`: [String]?
        let properties: [String: Schema]?

        enum CodingKeys: String, CodingKey { case `enum`, properties }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            // Other schemas list booleans.
            `enum` = try? members.decode([String].self, forKey: .enum)
            properties = try members.decodeIfPresent([String: Schema].self, forKey: .properties)
        }
    }

    struct Reference: Decodable {
        var ref: String
        enum CodingKeys: String, CodingKey { case ref = "$ref" }
        var name: String { String(ref.split(separator: "/").last ?? "") }
    }

    struct Item: Decodable {
        var get, put, post, delete: Operation?

        var operations: [(method: String, operation: Operation)] {
            [("GET", get), ("PUT", put), ("POST", post), ("DELETE", delete)].compactMap { name, operation in
                operation.map { (name, $0) }
            }
        }
    }

    struct Operation: Decodable {
        var operationId: String
        var security: [[String: [String]]]?
        var parameters: [Reference]?
        var requestBody: RequestBody?
        var responses: [String: Response]
    }

    struct RequestBody: Decodable {
        var required: Bool
        var content: [String: Content]
    }

    struct Response: Decodable { var content: [String: Content]? }
    struct Content: Decodable {}

    struct Row: Decodable {
        var title: String
        var statuses: [Int]
    }

    init(_ octets: [UInt8]) throws { self = try JSONDecoder().decode(Document.self, from: Data(octets)) }
}

extension Document {
    func differences(from routes: [Route]) -> [String] {
        var found: [String] = []
        for route in routes {
            let place = "\(route.method.rawValue) \(route.path.text)"
            let documented = paths[route.path.text]?.operations.first { $0.method == route.method.rawValue }
            guard let operation = documented?.operation else {
                found.append("\(place) is not documented")
                continue
            }
            found += differences(of: operation, from: route)
        }
        for (path, item) in paths {
            for (method, _) in item.operations
            where !routes.contains(where: { $0.path.text == path && $0.method.rawValue == method }) {
                found.append("\(method) \(path) is no route")
            }
        }
        return found
    }

    private func differences(of operation: Operation, from route: Route) -> [String] {
        let name = "\(route.operation)"
        var found: [String] = []
        if operation.operationId != name { found.append("\(name) is called \(operation.operationId)") }
        // What the document says for all where an operation says nothing: a token, whatever its scopes.
        let security = operation.security ?? [["bearer": []]]
        let wanted = route.access.requirement
        if security != wanted {
            let scope = { (list: [[String: [String]]]) in list.first?["bearer"]?.first ?? "nothing" }
            found.append("\(name) wants \(scope(security)), not \(scope(wanted))")
        }
        let query = (operation.parameters ?? []).compactMap { components.parameters[$0.name] }
            .filter { $0.in == "query" }.map(\.name)
        if query.sorted() != route.query.sorted() {
            found.append("\(name) has the query \(query), not \(route.query)")
        }
        let content: Route.ContentRule =
            switch operation.requestBody {
            case nil: .none
            case let body? where body.content["application/x-ndjson"] != nil: .lines
            case let body?: body.required ? .json : .optionalJSON
            }
        if content != route.content { found.append("\(name): the content is \(content), not \(route.content)") }
        if route.access != .anyone, let answer = operation.responses["200"]?.content, answer[route.produces] == nil {
            found.append("\(name) does not answer \(route.produces)")
        }
        return found
    }

    func differences(from codes: [Problem.Code]) -> [String] {
        var found: [String] = []
        let listed = components.schemas["ProblemCode"]?.enum ?? []
        for code in codes {
            if !listed.contains(code.rawValue) { found.append("\(code.rawValue) is not among ProblemCode") }
            guard let row = problems[code.rawValue] else {
                found.append("\(code.rawValue) is not in the table")
                continue
            }
            if row.title != code.title { found.append("\(code.rawValue) has the title '\(row.title)'") }
            if row.statuses != code.statuses.map(\.code) {
                found.append("\(code.rawValue) has the statuses \(row.statuses)")
            }
        }
        for name in Set(problems.keys).union(listed) where !codes.contains(where: { $0.rawValue == name }) {
            found.append("\(name) is no code")
        }
        return found
    }
}

extension Route.Access {
    /// The least scope that will do, as the document says it.
    fileprivate var requirement: [[String: [String]]] {
        switch self {
        case .anyone: []
        case .anyUser: [["bearer": []]]
        case .reader: [["bearer": ["layout:read"]]]
        case .writer: [["bearer": ["layout:write"]]]
        case .publisher: [["bearer": ["catalog:write"]]]
        case .admin: [["bearer": ["admin"]]]
        }
    }
}
