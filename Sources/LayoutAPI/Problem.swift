import HTTP1
import LayoutApplication
import LayoutModel

/// One error answer (RFC 9457). Every error that a client can meet becomes one here and nowhere else.
struct Problem: Error {
    /// A stable word that a client can act on.
    var code: Code
    var status: Status
    /// What happened this time, and what cures it.
    var detail: String
    var params: [Parameter] = []
    var operationIndex: Int?
    /// RFC 6901: where in the request's content.
    var pointer: String?
    /// Several at once, each with its place.
    var faults: [CatalogDraft.Fault] = []
    /// The layout as it is, so that the client need not ask again.
    var current: LayoutView?
    /// Nothing that a client did or can cure: the log gets the error itself, the client gets none of it.
    var isIncident = false
    /// `Allow`, `Retry-After` …
    var fields: [(name: StaticString, value: String)] = []

    struct Parameter {
        var name: StaticString
        var value: Value

        enum Value {
            case text(String)
            case number(Int)
            case numbers([Int])
        }
    }

    /// - Parameter status: nil for the code's only one.
    init(_ code: Code, as status: Status? = nil, _ detail: String) {
        self.code = code
        self.status = status ?? code.statuses[0]
        self.detail = detail
    }
}

extension Problem {
    /// The problem that `error` is. What nobody foresaw is a bare 500, which only the log explains.
    init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as ProtocolError: self.init(error)
        case let failure as AuthenticationFailure: self.init(failure)
        case let fault as ContentFault: self.init(fault)
        case let rejection as Rejection: self.init(rejection)
        case let refused as ChangeRefused: self.init(refused)
        case let failure as Precondition.Failure: self.init(failure)
        case let faults as CatalogDraft.Faults: self.init(faults)
        case let error as StoreError: self.init(error)
        case StreamError.draining: self.init(StoreError.closed)
        case StreamError.peerGone: self.init(ProtocolError.incomplete)
        case is IdempotencyKeyReused:
            self.init(
                .idempotencyKeyReused,
                "This Idempotency-Key came before with another content. A new request needs a new key.")
        default:
            self.init(.internalError, "Something went wrong here. The request can be repeated; the log has the cause.")
            isIncident = true
        }
    }

    private init(_ error: ProtocolError) {
        let code: Code =
            switch error.status {
            case .contentTooLarge: .contentTooLarge
            case .uriTooLong: .uriTooLong
            case .fieldsTooLarge: .fieldsTooLarge
            case .requestTimeout: .requestTimeout
            case .expectationFailed: .expectationFailed
            case .notImplemented: .notImplemented
            case .versionNotSupported: .versionNotSupported
            case .serviceUnavailable: .unavailable
            default: .malformedRequest
            }
        self.init(code, error.limit.map { "\(error.reason): at most \($0)." } ?? "\(error.reason).")
        if let limit = error.limit { params = [.number("limit", limit)] }
    }

    private init(_ fault: ContentFault) {
        self.init(fault.code, fault.detail)
        pointer = fault.pointer
        params = fault.params
        operationIndex = fault.operationIndex
    }

    private init(_ rejection: Rejection) {
        self.init(rejection.refusal)
        operationIndex = rejection.operationIndex
    }

    private init(_ refused: ChangeRefused) {
        switch refused.reason {
        case .precondition(let failure): self.init(failure)
        case .rejected(let rejection): self.init(rejection)
        }
        if status == .conflict || status == .preconditionFailed { current = refused.current }
    }

    private init(_ failure: Precondition.Failure) {
        switch failure {
        case .failed:
            self.init(
                .preconditionFailed,
                "What If-Match names is not the entity tag in force. Take the current one and decide again.")
        case .exists:
            self.init(
                .preconditionFailed,
                "If-None-Match names the entity tag in force, or any. A first write sends the tag that GET gave as If-Match."
            )
        case .weakValidator:
            self.init(
                .weakValidator,
                "If-Match compares strongly, and a weak tag (W/) never matches. Send the tag as the server gave it.")
        case .required:
            self.init(
                .preconditionRequired,
                "This write needs If-Match with the tag that GET gave; a layout's whole list may bring baseVersion instead."
            )
        }
    }

    private init(_ faults: CatalogDraft.Faults) {
        self.init(.invalidCatalog, "The catalog has \(faults.sum); nothing was published.")
        self.faults = faults.listed
    }

    private init(_ error: StoreError) {
        switch error {
        case .busy:
            self.init(.busy, "More changes wait than can be taken in. Repeat after a moment.")
            fields = [("Retry-After", "1")]
        case .unavailable:
            self.init(
                .storageUnavailable,
                "The storage does not take or give anything at the moment. Nothing was changed; repeat later.")
            fields = [("Retry-After", "2")]
            isIncident = true
        case .unknownOutcome:
            self.init(
                .unknownOutcome,
                "Whether the change was made is not known. Repeat it with the same Idempotency-Key, or read what is in force."
            )
            fields = [("Retry-After", "2")]
            isIncident = true
        case .closed:
            self.init(.draining, "This server is shutting down. Repeat the request.")
            fields = [("Retry-After", "1")]
        case .damaged:
            self.init(.damagedRecord, "What is stored here does not match its checksum, and is not given out.")
            isIncident = true
        }
    }
}

extension Problem {
    static let notFound = Problem(.notFound, "No resource has this path. The resources stand in the API documentation.")

    static func methodNotAllowed(_ allowed: String) -> Problem {
        var problem = Problem(.methodNotAllowed, "This resource has the methods \(allowed).")
        problem.fields = [("Allow", allowed)]
        return problem
    }

    static let unknownMethod = Problem(.notImplemented, "No resource here knows this method.")

    /// RFC 9110 §15.5.16: says what would have been taken.
    static func unsupportedMediaType(accepted: StaticString) -> Problem {
        var problem = Problem(.unsupportedMediaType, "Content is taken as \(accepted): say so in Content-Type.")
        problem.fields = [("Accept", "\(accepted)")]
        return problem
    }

    static func unsupportedContentCoding(accepted: StaticString) -> Problem {
        var problem = Problem(.unsupportedMediaType, "Content is taken without a content coding.")
        problem.fields = [("Accept-Encoding", "identity"), ("Accept", "\(accepted)")]
        return problem
    }

    static let unexpectedContent = Problem(
        .unsupportedMediaType, "This request says all in its target, and takes no content. Send it without any.")

    static func noCatalogRevision(newest: Int) -> Problem {
        Problem(.notFound, "The catalog has no such revision; the newest is \(newest).")
    }

    static func noVersion(newest: Version) -> Problem {
        Problem(.notFound, "The layout has no such version; the newest is \(newest).")
    }

    static func notAcceptable(_ type: String) -> Problem {
        Problem(.notAcceptable, "The Accept field rules out \(type), and this resource has nothing else.")
    }

    static func malformedValidator(_ field: StaticString) -> Problem {
        Problem(
            .malformedValidator,
            "\(field) holds entity tags in double quotes, such as \"7\", with commas between them, or a single *.")
    }

    static func invalidUser(_ detail: String) -> Problem {
        Problem(.invalidUser, detail)
    }

    static func invalidParameter(_ name: String, _ detail: String) -> Problem {
        var problem = Problem(.invalidParameter, detail)
        problem.params = [.init(name: "parameter", value: .text(name.excerpt))]
        return problem
    }
}
