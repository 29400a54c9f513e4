public import Foundation
import Locking

/// The calls of the service, for one user.
///
/// ```
/// let client = PegboardClient(
///     baseURL: URL(string: "https://api.example.com")!, identity: .init(appVersion: "10.3.1", device: deviceID),
///     token: { try await session.accessToken(isExpired: $0) })
/// let layout = try await client.layout()
/// ```
public final class PegboardClient: Sendable {
    public let user: String
    public let identity: ClientIdentity
    let settings: Settings
    private let baseURL: URL
    private let transport: any Transport
    private let token: TokenProvider?
    private let cache = Mutex(ResponseCache())

    /// Gives the bearer token. The argument says that the last one was answered 401: get another.
    public typealias TokenProvider = @Sendable (_ isRejected: Bool) async throws -> String?

    public struct Settings: Sendable {
        /// How often a call is made at most. Only what may be repeated is: GETs, and writes with a key.
        public var attempts = 3
        public var backoff = Backoff()
        public var timeout: Duration = .seconds(30)
        /// How long the event stream may be silent; its heartbeats come more often than that.
        public var eventTimeout: Duration = .seconds(90)
        /// The languages of titles, the best first: the value of `Accept-Language`.
        public var languages: [String] = []
        public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        /// Makes the idempotency keys.
        public var makeKey: @Sendable () -> String = { UUID().uuidString.lowercased() }

        public init() {}
    }

    /// - Parameters:
    ///   - baseURL: of the service, without `/v1`.
    ///   - user: `me` is the user of the token.
    ///   - identity: platform, app version and device: what is shown depends on it, and history names it.
    ///   - transport: how requests go out; another one for tests.
    ///   - settings: time-outs and repeats.
    ///   - token: asked before each request; nil where nobody signs in.
    public init(
        baseURL: URL, user: String = "me", identity: ClientIdentity, transport: any Transport = URLSessionTransport(),
        settings: Settings = Settings(), token: TokenProvider? = nil
    ) {
        self.baseURL = baseURL
        self.user = user
        self.identity = identity
        self.transport = transport
        self.settings = settings
        self.token = token
    }

    /// Forgets what was kept of answers, as when the user signs out.
    public func removeCachedAnswers() { cache.withLock { $0.removeAll() } }
}

/// One call on its way to a request.
struct Call {
    var method = "GET"
    /// Already percent-encoded, from the root: `/v1/users/me/layout`.
    var path: String
    var query: [(name: String, value: String)] = []
    var body: Data?
    var match: EntityTag?
    var key: String?
    var prefer: String?
    var timeout: Duration?
    var attempts: Int?

    var isRepeatable: Bool { method == "GET" || key != nil }
}

extension PegboardClient {
    /// The user's path, or one below it.
    func path(_ parts: String...) -> String {
        (["/v1/users/" + Self.encoded(user)] + parts).joined(separator: "/")
    }

    /// RFC 3986 §2.3: all but the unreserved characters is encoded, so that no id can change the path's shape.
    static func encoded(_ segment: String) -> String {
        var text = ""
        for octet in segment.utf8 {
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(octet))
            default:
                text += "%" + (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// Which client asks: hidden functions and the meaning of an index follow from it.
    var clientQuery: [(name: String, value: String)] {
        [("platform", identity.platform), ("appVersion", identity.appVersion)]
    }

    func request(for call: Call) throws(PegboardError) -> TransportRequest {
        var text = baseURL.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        text += call.path
        if !call.query.isEmpty {
            text += "?" + call.query.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
        }
        guard let url = URL(string: text) else {
            throw .unexpectedAnswer(status: 0, reason: "no URL can be made of \(text)")
        }
        var request = TransportRequest(method: call.method, url: url, timeout: call.timeout ?? settings.timeout)
        request["Accept"] = "application/json, application/problem+json"
        request["Pegboard-Client"] = identity.header
        if !settings.languages.isEmpty { request["Accept-Language"] = settings.languages.joined(separator: ", ") }
        request["If-Match"] = call.match?.rawValue
        request["Idempotency-Key"] = call.key.map { "\"\($0)\"" }
        request["Prefer"] = call.prefer
        if let body = call.body {
            request["Content-Type"] = "application/json"
            request.body = body
        }
        return request
    }

    func send<Value: Decodable>(
        _ call: Call, as type: Value.Type = Value.self
    ) async throws -> (Value, TransportResponse) {
        let response = try await send(call)
        return (try Self.decode(response), response)
    }

    static func decode<Value: Decodable>(_ response: TransportResponse) throws -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: response.body)
        } catch {
            throw PegboardError.unexpectedAnswer(status: response.status, reason: String(describing: error))
        }
    }

    /// The answer to a call: from the cache where the server says that it is still right. Repeats what may be repeated.
    ///
    /// - Throws: `PegboardError` for anything but 2xx; `CancellationError`.
    func send(_ call: Call) async throws -> TransportResponse {
        let request = try request(for: call)
        let attempts = call.isRepeatable ? max(1, call.attempts ?? settings.attempts) : 1
        for attempt in 0..<attempts {
            do {
                return call.method == "GET" ? try await revalidated(request) : try await accepted(request)
            } catch let error as PegboardError where error.isWorthRepeating && attempt + 1 < attempts {
                try await settings.sleep(delay(attempt: attempt, retryAfter: error.retryAfter))
            }
        }
        return try await accepted(request)
    }

    private func revalidated(_ request: TransportRequest) async throws -> TransportResponse {
        let key = ResponseCache.Key(url: request.url, language: request["Accept-Language"])
        guard let tag = cache.withLock({ $0.tag(for: key) }) else { return try await fetched(request, for: key) }
        var conditional = request
        conditional["If-None-Match"] = tag
        let response = try await authorized(conditional)
        guard response.status == 304 else { return try kept(response, for: key) }
        if let kept = cache.withLock({ $0.response(for: key, tag: tag) }) { return kept }
        // Thrown out of the cache while the question was under way.
        return try await fetched(request, for: key)
    }

    private func fetched(_ request: TransportRequest, for key: ResponseCache.Key) async throws -> TransportResponse {
        try kept(try await authorized(request), for: key)
    }

    private func kept(_ response: TransportResponse, for key: ResponseCache.Key) throws -> TransportResponse {
        let response = try Self.success(response)
        cache.withLock { $0.keep(response, for: key) }
        return response
    }

    private func accepted(_ request: TransportRequest) async throws -> TransportResponse {
        try Self.success(try await authorized(request))
    }

    private static func success(_ response: TransportResponse) throws -> TransportResponse {
        switch response.status {
        case 200..<300: return response
        case 400...: throw PegboardError.problem(.init(response))
        default: throw PegboardError.unexpectedAnswer(status: response.status, reason: "neither success nor problem")
        }
    }

    /// With the user's token; once more with another where the server took it for a bad one.
    private func authorized(_ request: TransportRequest) async throws -> TransportResponse {
        let response = try await authorized(request, isRejected: false) { try await transport.send($0) }
        guard response.status == 401, token != nil else { return response }
        return try await authorized(request, isRejected: true) { try await transport.send($0) }
    }

    private func authorized<Answer: Sendable>(
        _ request: TransportRequest, isRejected: Bool, _ send: (TransportRequest) async throws -> Answer
    ) async throws -> Answer {
        var request = request
        if let token = try await token?(isRejected) { request["Authorization"] = "Bearer \(token)" }
        do {
            return try await send(request)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw PegboardError.unreachable(error)
        }
    }

    /// A stream of the layout's events from after `lastID`.
    func openEvents(after lastID: String) async throws -> TransportStream {
        let call = Call(path: path("layout", "events"), query: clientQuery, timeout: settings.eventTimeout)
        var request = try request(for: call)
        request["Accept"] = "text/event-stream"
        if !lastID.isEmpty { request["Last-Event-ID"] = lastID }
        let finished = request
        var stream = try await authorized(finished, isRejected: false) { try await transport.stream($0) }
        if stream.head.status == 401, token != nil {
            stream = try await authorized(finished, isRejected: true) { try await transport.stream($0) }
        }
        guard stream.head.status == 200 else { throw PegboardError.problem(.init(try await stream.collected())) }
        return stream
    }

    func delay(attempt: Int, retryAfter: Duration?) -> Duration {
        var random = SystemRandomNumberGenerator()
        return settings.backoff.delay(attempt: attempt, retryAfter: retryAfter, using: &random)
    }

    func sleep(_ duration: Duration) async throws { try await settings.sleep(duration) }
}

extension PegboardError {
    /// Whether the same request can have another answer later, without anybody doing anything.
    var isWorthRepeating: Bool {
        switch self {
        case .unreachable: true
        case .problem(let problem): problem.isPassing
        case .unexpectedAnswer: false
        }
    }

    var retryAfter: Duration? {
        if case .problem(let problem) = self { problem.retryAfter } else { nil }
    }
}

extension PegboardError.Problem {
    var isPassing: Bool {
        status >= 500 && status != 501 || status == 429 || status == 408 || code == "idempotency_in_flight"
    }
}
