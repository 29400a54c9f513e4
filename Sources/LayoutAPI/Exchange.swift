package import HTTP1

/// One answered request, as the access log sees it. Holds no token, no content, and no field as it came.
package struct Exchange: Sendable {
    package var method: Method?
    private var target = RequestTarget()
    /// The operation of the API; nil where no route was found.
    package var operation: StaticString?
    package var status: Int
    /// The length of the content; nil for a stream.
    package var contentLength: Int?
    package var duration: Duration?
    package var peer = ""
    /// Who asked: an admin's name or a user's pseudonym; empty where nobody had to say, or could.
    package var principal: String { asker?.logName ?? "" }
    private var asker: Principal?
    /// What went wrong here that nobody foresaw, or in the storage; the client was told nothing of it.
    package var unforeseen: String?

    init(
        _ request: Request, _ operation: StaticString?, from principal: Principal?, _ response: Response,
        after duration: Duration, incident: (any Error)?
    ) {
        self.init(refused: response)
        asker = principal
        method = request.method
        target = request.target
        self.operation = operation
        unforeseen = incident.map { String(reflecting: $0) }
        self.duration = duration
        peer = request.peer
    }

    /// As it came, percent-encoded; empty where the request could not be read.
    package var path: String { target.pathAsItCame }

    /// A message that could not be understood: nothing is known of it but its answer.
    init(refused response: Response) {
        status = response.status.code
        contentLength =
            switch response.content {
            case .none: 0
            case .bytes(let octets): octets.count
            case .stream: nil
            }
    }
}

extension RequestTarget {
    /// The path, percent-encoded as it came: a URI reference (RFC 9457 §3.1.5), and one line in a log.
    var pathAsItCame: String { String(decoding: octets[path], as: UTF8.self) }
}
