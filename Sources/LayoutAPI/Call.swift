import HTTP1
import LayoutModel
import Locking

/// A request that has found its route: what its handler asks about it.
struct Call: Sendable {
    let request: Request
    let route: Route
    let principal: Principal
    private let parameters: PathParameters
    private let query: [RequestTarget.Parameter]
    /// Where the content comes from; nil where it is in the request.
    let reader: (any ContentReader)?

    /// - Parameter query: see `query(of:knownTo:)`.
    init(
        _ request: Request, route: Route, parameters: PathParameters, query: [RequestTarget.Parameter],
        principal: Principal, reader: (any ContentReader)?
    ) {
        self.request = request
        self.query = query
        self.route = route
        self.parameters = parameters
        self.principal = principal
        self.reader = reader
    }

    /// - Throws: 400 `invalid_parameter` for a query parameter that the route does not know, or that stands twice.
    static func query(of target: RequestTarget, knownTo route: Route) throws -> [RequestTarget.Parameter] {
        if target.query == nil { return [] }
        // Monitors and browsers add what they like.
        guard route.access != .anyone else { return target.parameters() ?? [] }
        guard let query = target.parameters() else {
            throw Problem(.invalidParameter, "A query parameter is not UTF-8 once its octets are decoded.")
        }
        for (index, parameter) in query.enumerated() {
            guard route.query.contains(parameter.name) else {
                let known = route.query.isEmpty ? "none" : route.query.joined(separator: ", ")
                throw Problem.invalidParameter(
                    parameter.name, "'\(parameter.name.excerpt)' is no query parameter here; known: \(known).")
            }
            guard !query[..<index].contains(where: { $0.name == parameter.name }) else {
                throw Problem.invalidParameter(parameter.name, "'\(parameter.name)' stands twice in the query.")
            }
        }
        return query
    }

    // MARK: The path

    /// The user whose layout it is about. `me` is the principal's own.
    func user() throws -> UserID {
        let octets = request.target[parameters[0]]
        // Nearly always: their id is at hand, made when their token was verified.
        if let own = principal.user, octets.decodes(to: own.text) { return own }
        let text = text(ofParameter: 0)
        if text == "me" {
            guard let user = principal.user else {
                throw Problem.invalidUser("'me' stands for the user of the token, and this request has none.")
            }
            return user
        }
        guard let user = UserID(text) else {
            throw Problem.invalidUser(
                "A user id is 1 to 128 bytes of UTF-8, percent-encoded in the path, without control characters.")
        }
        return user
    }

    func function() throws -> FunctionID {
        guard let id = FunctionID(text(ofParameter: 1)) else {
            throw Problem(.invalidFunction, "A function's id is 1 to 64 of A-Z a-z 0-9 . _ ~ -.")
        }
        return id
    }

    /// A revision of the catalog; nil for what can be none.
    func revision() -> Int? { Self.number(text(ofParameter: 0)) }

    /// A version of the user's layout; nil for what can be none.
    func version() -> Version? { Self.number(text(ofParameter: 1)).map(Version.init) }

    /// A file of the console.
    func fileName() -> String { text(ofParameter: 0) }

    /// What is not UTF-8 names nothing: an empty text, which no identifier accepts.
    private func text(ofParameter index: Int) -> String {
        request.target[parameters[index]].percentDecoded() ?? ""
    }

    /// The largest number that a request can say.
    static let largestNumber = 999_999_999_999_999_999

    /// A number in the one way to write it: no sign, no zero in front, and no more digits than are sure to fit.
    static func number(_ text: some StringProtocol) -> Int? {
        let digits = text.utf8
        guard (1...18).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return nil }
        return Int(text)
    }

    // MARK: The query

    func text(_ name: String) -> String? { query.first { $0.name == name }.map { $0.value ?? "" } }

    /// `?validateOnly` and `?validateOnly=true` say yes.
    func flag(_ name: String) throws -> Bool {
        switch text(name) {
        case nil, "false": false
        case "", "true": true
        case let other?: throw Problem.invalidParameter(name, "'\(name)' is true or false, not '\(other.excerpt)'.")
        }
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Self.number(text), range.contains(number) else {
            throw Problem.invalidParameter(
                name,
                "'\(name)' is a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text.excerpt)'.")
        }
        return number
    }

    /// Which client asks.
    func client() throws -> Client {
        var client = Client(user: try user())
        if query.isEmpty { return client }
        if let platform = text("platform") {
            guard FunctionID(platform) != nil else {
                throw Problem.invalidParameter("platform", "A platform is a short word such as 'ios'.")
            }
            client.platform = platform
        }
        if let text = text("appVersion") {
            guard let version = AppVersion(text) else {
                throw Problem.invalidParameter(
                    "appVersion", "A version is numbers with dots, like 10.3.1, not '\(text.excerpt)'.")
            }
            client.appVersion = version
        }
        return client
    }

    /// The query as it came: tells one client's representation from another's.
    var queryOctets: ArraySlice<UInt8> { request.target.query.map { request.target.octets[$0] } ?? [] }

    // MARK: The content

    func content() throws -> JSONInput {
        guard !request.content.isEmpty else {
            throw ContentFault(
                code: .invalidJSON, pointer: "", detail: "The request has no content. Send a JSON document with it.")
        }
        return try JSONInput(request.content)
    }

    /// For a route that takes its content in pieces.
    func pieces() -> any ContentReader { reader ?? OnePiece(request.content) }
}

/// A content that has come already.
private final class OnePiece: ContentReader {
    private let rest: Mutex<[UInt8]?>

    init(_ content: [UInt8]) { rest = Mutex(content.isEmpty ? nil : content) }

    func read() async throws -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = nil }
            return rest
        }
    }
}
