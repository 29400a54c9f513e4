public import Foundation

/// Why a call did not do what it should.
public enum PegboardError: Error, Sendable {
    /// The server said no: what it said.
    case problem(Problem)
    /// No answer: the connection failed, or the time was up. The request may have been carried out.
    case unreachable(any Error)
    /// An answer that this client does not understand.
    case unexpectedAnswer(status: Int, reason: String)

    /// `application/problem+json` (RFC 9457) and what this service adds.
    public struct Problem: Sendable, Hashable {
        public var status: Int
        public var code: Refusal.Code
        public var title: String
        public var detail: String
        public var params: [String: Refusal.Parameter]
        /// Which of a request's operations it is about.
        public var operationIndex: Int?
        /// The layout as it is, on 409 and 412.
        public var current: LayoutSnapshot?
        /// The service asks not to be asked before (`Retry-After`).
        public var retryAfter: Duration?

        public init(
            status: Int, code: Refusal.Code, title: String = "", detail: String = "",
            params: [String: Refusal.Parameter] = [:], operationIndex: Int? = nil, current: LayoutSnapshot? = nil,
            retryAfter: Duration? = nil
        ) {
            self.status = status
            self.code = code
            self.title = title
            self.detail = detail
            self.params = params
            self.operationIndex = operationIndex
            self.current = current
            self.retryAfter = retryAfter
        }

        public var refusal: Refusal { Refusal(code: code, params: params, message: detail) }
    }
}

/// What `localizedDescription` says: an alert's last resort, in English.
extension PegboardError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .problem(let problem):
            problem.detail.isEmpty ? "The server answered \(problem.status) \(problem.code.rawValue)." : problem.detail
        case .unreachable(let error): "The server gave no answer: \(error.localizedDescription)"
        case .unexpectedAnswer(let status, _): "The server’s answer (\(status)) is not understood."
        }
    }
}

extension PegboardError.Problem {
    private struct Document: Decodable {
        var code: String?
        var title: String?
        var detail: String?
        var params: [String: Refusal.Parameter]?
        var operationIndex: Int?
        var current: LayoutSnapshot?
    }

    /// What an answer of 400 or above says. One that is no problem document (a proxy's page) has the code `http_<status>`.
    init(_ response: TransportResponse) {
        let isProblem = response["Content-Type"]?.hasPrefix("application/problem+json") == true
        let document = isProblem ? try? JSONDecoder().decode(Document.self, from: response.body) : nil
        self.init(
            status: response.status, code: Refusal.Code(rawValue: document?.code ?? "http_\(response.status)"),
            title: document?.title ?? "", detail: document?.detail ?? "", params: document?.params ?? [:],
            operationIndex: document?.operationIndex, current: document?.current,
            retryAfter: response["Retry-After"].flatMap(Self.delay))
        current?.tag = response["ETag"].map(EntityTag.init)
    }

    /// Seconds. The other form, a date, depends on a clock that a phone may have wrong: it counts as a minute.
    private static func delay(_ text: String) -> Duration? {
        if let seconds = Int(text) { return .seconds(min(max(seconds, 0), 86_400)) }
        return text.isEmpty ? nil : .seconds(60)
    }
}
