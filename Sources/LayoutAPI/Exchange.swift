package import HTTP1

/// One answered request, as the access log sees it. Holds no token, no content, and no field as it came.
package struct Exchange: Sendable {
    package var requestID: RequestID?
    /// nil where the request belongs to no trace.
    package var trace: TraceContext?
    package var method: Method?
    /// The operation of the API; nil where no route was found.
    package var operation: StaticString? { matched?.operation }
    /// The template of its path; nil likewise.
    package var route: String? { matched?.path.text }
    /// Whether it asks how the server is.
    package var isProbe: Bool { matched?.isProbe ?? false }
    private var matched: Route?
    package var status: Int
    /// The length of the content; nil for a stream.
    package var contentLength: Int?
    /// How long it took.
    package var nanoseconds: Int64 = 0
    package var peer = ""
    /// Who asked: an admin's name or a user's pseudonym; empty where nobody had to say, or could.
    package var principal: String { asker?.logName ?? "" }
    private var asker: Principal?
    /// What went wrong here that nobody foresaw, or in the storage; the client was told nothing of it.
    package var unforeseen: String?

    init(
        _ request: Request, _ route: Route?, _ response: borrowing Response, after nanoseconds: Int64,
        from principal: Principal?, incident: (any Error)?
    ) {
        requestID = response.requestID
        trace = TraceContext(of: request)
        method = request.method
        matched = route
        status = response.status.code
        contentLength = response.content.count
        self.nanoseconds = nanoseconds
        peer = request.peer
        asker = principal
        unforeseen = incident.map { String(reflecting: $0) }
    }

    /// A message that could not be understood: nothing is known of it but its answer.
    init(refused response: borrowing Response) {
        requestID = response.requestID
        status = response.status.code
        contentLength = response.content.count
    }
}

extension RequestTarget {
    /// The path, percent-encoded as it came: a URI reference (RFC 9457 §3.1.5), and one line in a log.
    var pathAsItCame: String { String(decoding: octets[path], as: UTF8.self) }
}
