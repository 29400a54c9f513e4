import Foundation
import Locking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests through `URLSession`. Nothing is cached: `PegboardClient` keeps what it may reuse, since `URLSession` on Linux
/// revalidates nothing.
///
/// On Linux each request has a connection of its own; and a connection that ends within the head of an answer ends the
/// program, until https://github.com/swiftlang/swift-corelibs-foundation/issues/5285 is mended there.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let userAgent: String

    /// - Parameter userAgent: the default names this library; put the app's own in front of it.
    public init(userAgent: String = "PegboardClient/1") {
        self.userAgent = userAgent
        session = URLSession(configuration: Self.configuration())
    }

    deinit { session.finishTasksAndInvalidate() }

    private static func configuration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        return configuration
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        do {
            let (data, response) = try await session.data(for: urlRequest(request))
            return try TransportResponse(response, body: data)
        } catch let error as URLError where error.code == .cancelled {
            throw CancellationError()
        }
    }

    public func stream(_ request: TransportRequest) async throws -> TransportStream {
        let (chunks, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        let receiver = StreamReceiver(continuation)
        // A session of its own: the delegate of a single task does not exist everywhere.
        let session = URLSession(configuration: Self.configuration(), delegate: receiver, delegateQueue: nil)
        let task = session.dataTask(with: urlRequest(request))
        continuation.onTermination = { _ in session.invalidateAndCancel() }
        let head = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                receiver.expectHead(continuation)
                task.resume()
            }
        } onCancel: {
            session.invalidateAndCancel()
        }
        return TransportStream(head: head, chunks: chunks)
    }

    private func urlRequest(_ request: TransportRequest) -> URLRequest {
        var result = URLRequest(
            url: request.url, cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: request.timeout / .seconds(1))
        #if canImport(FoundationNetworking)
            // Foundation on Linux minds an interval only where it was set like this.
            result.timeoutInterval = request.timeout / .seconds(1)
            // Where a kept connection turns out to be dead, it sends the head of the request again without its content,
            // and waits. A connection for each request is never found dead.
            result.setValue("close", forHTTPHeaderField: "Connection")
        #endif
        result.httpMethod = request.method
        result.httpBody = request.body
        result.setValue(userAgent, forHTTPHeaderField: "User-Agent")
        for header in request.headers { result.setValue(header.value, forHTTPHeaderField: header.name) }
        return result
    }
}

extension TransportResponse {
    fileprivate init(_ response: URLResponse, body: Data = Data()) throws {
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        self.init(status: response.statusCode, headers: headers, body: body)
    }
}

/// Hands on one answer piece by piece: `bytes(for:)` does not exist on Linux.
private final class StreamReceiver: NSObject, URLSessionDataDelegate {
    private let chunks: AsyncThrowingStream<Data, any Error>.Continuation
    private let head = Mutex<CheckedContinuation<TransportResponse, any Error>?>(nil)

    init(_ chunks: AsyncThrowingStream<Data, any Error>.Continuation) { self.chunks = chunks }

    func expectHead(_ continuation: CheckedContinuation<TransportResponse, any Error>) {
        head.withLock { $0 = continuation }
    }

    private func resumeHead(_ result: Result<TransportResponse, any Error>) {
        let waiting = head.withLock { head in
            defer { head = nil }
            return head
        }
        waiting?.resume(with: result)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        resumeHead(Result { try TransportResponse(response) })
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { chunks.yield(data) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let error = (error as? URLError)?.code == .cancelled ? CancellationError() : error
        resumeHead(.failure(error ?? URLError(.badServerResponse)))
        chunks.finish(throwing: error)
    }
}
