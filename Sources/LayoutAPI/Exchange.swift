package import HTTP1
import LayoutApplication

/// One answered request, as the access log sees it. Holds no token, no content, and no field as it came.
package struct Exchange: Sendable {
    package let requestID: RequestID?
    /// nil where the request belongs to no trace.
    package let trace: TraceContext?
    package let method: Method?
    /// The operation of the API; nil where no route was found.
    package var operation: StaticString? { matched?.operation }
    /// The template of its path; nil likewise.
    package var route: String? { matched?.path.text }
    /// Whether it asks how the server is.
    package var isProbe: Bool { matched?.isProbe ?? false }
    private let matched: Route?
    package var status: Int { answered.code }
    private let answered: Status
    /// The length of the content; nil for a stream.
    package let contentLength: Int?
    /// How long it took.
    package let nanoseconds: Int64
    package let peer: String
    /// Who asked: an admin's name or a user's pseudonym; empty where nobody had to say, or could.
    package var principal: String { asker?.logName ?? "" }
    private let asker: Principal?
    /// What went wrong here that nobody foresaw, or in the storage; the client was told nothing of it.
    package var unforeseen: String? { incident.map { String(reflecting: $0) } }
    /// Whether that was the storage: an outage, or damage, which is the operator's to mend and no mistake in here.
    package var isStorageFault: Bool { incident is StoreError }
    private let incident: (any Error)?

    /// How many octets its texts have: the route's, the peer's, the principal's.
    package var textLength: Int {
        (matched?.path.text.utf8.count ?? 0) + peer.utf8.count + (asker?.logName.utf8.count ?? 0)
    }

    init(
        _ request: borrowing Request, _ route: Route?, _ response: borrowing Response, after nanoseconds: Int64,
        from principal: Principal?, incident: (any Error)?
    ) {
        requestID = response.requestID
        trace = TraceContext(of: request)
        method = request.method
        matched = route
        answered = response.status
        contentLength = response.content.count
        self.nanoseconds = nanoseconds
        peer = request.peer
        asker = principal
        self.incident = incident
    }

    /// A message that could not be understood: nothing is known of it but its answer.
    init(refused response: borrowing Response) {
        requestID = response.requestID
        trace = nil
        method = nil
        matched = nil
        answered = response.status
        contentLength = response.content.count
        nanoseconds = 0
        peer = ""
        asker = nil
        incident = nil
    }
}

extension RequestTarget {
    /// The path, percent-encoded as it came: a URI reference (RFC 9457 §3.1.5), and one line in a log.
    var pathAsItCame: String { String(decoding: octets[path], as: UTF8.self) }
}
