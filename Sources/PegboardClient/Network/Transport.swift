public import Foundation

/// Carries requests to the server and answers back. `URLSessionTransport` does it over the network; tests bring their own.
public protocol Transport: Sendable {
    /// Sends `request` and gives the whole answer, whatever its status.
    ///
    /// - Throws: where no answer came; `CancellationError` where the task was cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Sends `request` and gives the answer's head, with its content as it arrives.
    func stream(_ request: TransportRequest) async throws -> TransportStream
}

public struct TransportRequest: Sendable, Hashable {
    public var method: String
    public var url: URL
    public var headers: [Header]
    public var body: Data?
    /// How long the server may be silent.
    public var timeout: Duration

    public struct Header: Sendable, Hashable {
        public var name: String
        public var value: String
    }

    public init(
        method: String, url: URL, headers: [Header] = [], body: Data? = nil, timeout: Duration = .seconds(30)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }

    /// The first value of a field, whatever the case of its name. Setting nil takes the field out.
    public subscript(name: String) -> String? {
        get { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
        set {
            headers.removeAll { $0.name.lowercased() == name.lowercased() }
            if let newValue { headers.append(Header(name: name, value: newValue)) }
        }
    }
}

public struct TransportResponse: Sendable {
    public var status: Int
    private var fields: [String: String]
    public var body: Data

    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        fields = Dictionary(headers.map { ($0.lowercased(), $1) }) { first, _ in first }
        self.body = body
    }

    /// The value of a field, whatever the case of its name.
    public subscript(name: String) -> String? { fields[name.lowercased()] }
}

public struct TransportStream: Sendable {
    /// The answer's head; its body is empty.
    public var head: TransportResponse
    public var chunks: AsyncThrowingStream<Data, any Error>

    public init(head: TransportResponse, chunks: AsyncThrowingStream<Data, any Error>) {
        self.head = head
        self.chunks = chunks
    }

    /// The rest of the content in one piece.
    func collected() async throws -> TransportResponse {
        var response = head
        for try await chunk in chunks { response.body.append(chunk) }
        return response
    }
}
