package import HTTP1

/// One answered request, as the access log sees it. Holds no token, no content, and no field as it came.
package struct Exchange: Sendable {
    package var method: Method?
    /// As it came, percent-encoded; empty where the request could not be read.
    package var path = ""
    /// The operation of the API; nil where no route was found.
    package var operation: StaticString?
    package var status: Int
    /// The length of the content; nil for a stream.
    package var contentLength: Int?
    package var duration: Duration?
    package var peer = ""
    /// What nobody foresaw; the client was told nothing of it.
    package var unforeseen: String?

    init(_ request: Request, _ operation: StaticString?, _ response: Response) {
        self.init(refused: response)
        method = request.method
        path = String(decoding: request.target.octets[request.target.path], as: UTF8.self)
        self.operation = operation
        duration = request.received.duration(to: .now)
        peer = request.peer
    }

    init(refused response: Response) {
        status = response.status.code
        contentLength =
            switch response.content {
            case .none: 0
            case .bytes(let octets): octets.count
            case .stream: nil
            }
    }

    init(unforeseen error: any Error, _ request: Request) {
        status = 500
        method = request.method
        path = String(decoding: request.target.octets[request.target.path], as: UTF8.self)
        unforeseen = String(reflecting: error)
    }
}
