import HTTP1
import Locking
import Synchronization

/// A small imitation of the service: just enough of its routes for the corpus to have something to talk to. One layout
/// a user, a version as its tag.
final class StandInHandler: RequestHandler {
    private let versions = Mutex<[String: Int]>([:])

    func delivery(for head: Request) -> ContentDelivery { .whole(limit: 64 * 1024) }

    func answer(_ request: Request) -> Answer {
        var response = route(request)
        response.omitsContent = request.method == .head
        return .now(response)
    }

    func answer(_ error: ProtocolError) -> Response { .problem(error.status, error.reason.description) }

    private func route(_ request: Request) -> Response {
        if request.method == .other || request.method == .trace { return .problem(.notImplemented, "unknown method") }
        let segments = Array(request.target.segments)
        if segments.count == 1, segments[0] == "*" { return Response(.noContent) }
        if segments.count == 1, segments[0].decodes(to: "livez") {
            return allow(request, "GET, HEAD", [.get, .head]) ?? .json(.ok, #"{"status":"ok"}"#)
        }
        guard segments.count >= 4, segments[0].decodes(to: "v1"), segments[1].decodes(to: "users"),
            segments[3].decodes(to: "layout")
        else { return .problem(.notFound, "no such resource") }
        guard let user = segments[2].percentDecoded(), !user.isEmpty, !user.utf8.contains(where: { $0 < 0x21 }) else {
            return .problem(.badRequest, "no user's name")
        }
        if segments.count == 5, segments[4].decodes(to: "operations") {
            return allow(request, "POST", [.post]) ?? write(request, user)
        }
        guard segments.count == 4 else { return .problem(.notFound, "no such resource") }
        if let refusal = allow(request, "GET, HEAD, PUT", [.get, .head, .put]) { return refusal }
        return request.method == .put ? write(request, user) : read(request, user)
    }

    private func allow(_ request: Request, _ names: String, _ methods: [Method]) -> Response? {
        guard !methods.contains(request.method) else { return nil }
        var response = Response.problem(.methodNotAllowed, "not with this method")
        response.fields.append(name: "Allow", value: names)
        return response
    }

    private func read(_ request: Request, _ user: String) -> Response {
        let tag = tag(user)
        let wanted = request.fields.elements(of: "If-None-Match").map { String(decoding: $0, as: UTF8.self) }
        if wanted.contains("*") || wanted.contains(tag) || wanted.contains("W/" + tag) {
            var response = Response(.notModified)
            response.fields.append(name: "ETag", value: tag)
            return response
        }
        var response = Response.json(.ok, #"{"favorites":["scan","pay"]}"#)
        response.fields.append(name: "ETag", value: tag)
        return response
    }

    private func write(_ request: Request, _ user: String) -> Response {
        let type = (request.fields.first("Content-Type") ?? "").lowercased()
        let media = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        guard media == "application/json", request.fields.values(of: "Content-Type").count == 1,
            !request.fields.contains("Content-Encoding")
        else { return .problem(.unsupportedMediaType, "JSON, please") }
        guard request.content.first == UInt8(ascii: "{"), request.content.last == UInt8(ascii: "}"),
            request.content.contains(UInt8(ascii: "]"))
        else { return .problem(.badRequest, "no JSON") }
        if request.fields.contains("If-None-Match") { return .problem(.preconditionFailed, "it exists") }
        if request.fields.contains("If-Match") {
            let wanted = request.fields.elements(of: "If-Match").map { String(decoding: $0, as: UTF8.self) }
            guard wanted == ["*"] || wanted.contains(tag(user)) else {
                return .problem(.preconditionFailed, "another version")
            }
        }
        versions.withLock { $0[user, default: 0] += 1 }
        return .json(.ok, #"{"changed":true}"#)
    }

    private func tag(_ user: String) -> String {
        "\"\(versions.withLock { $0[user, default: 0] })\""
    }
}

extension Response {
    static func json(_ status: Status, _ text: String, type: String = "application/json") -> Response {
        var fields = Fields()
        fields.append(name: "Content-Type", value: type)
        return Response(status, fields: fields, content: .bytes(Array(text.utf8)))
    }

    static func problem(_ status: Status, _ detail: String) -> Response {
        .json(status, #"{"status":\#(status.code),"detail":"\#(detail)"}"#, type: "application/problem+json")
    }
}
