import Foundation
import PegboardClient
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The network as an app has it; what is written over it, and what is answered, goes into the record.
final class RecordingTransport: Transport {
    private let inner = URLSessionTransport(userAgent: "eight-devices/1")
    private let device: String
    private let record: Record
    private let online = Atomic(true)

    init(device: String, record: Record) {
        self.device = device
        self.record = record
    }

    var isOnline: Bool {
        get { online.load(ordering: .relaxed) }
        set { online.store(newValue, ordering: .relaxed) }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard isOnline else { throw URLError(.notConnectedToInternet) }
        guard request.method != "GET" else { return try await inner.send(request) }
        let key = request["Idempotency-Key"]
        record.write(
            .init(what: .sent, device: device, key: key, body: request.body.map { String(decoding: $0, as: UTF8.self) })
        )
        let answer = try await inner.send(request)
        record.write(
            .init(
                what: .answer, device: device, key: key, status: answer.status, tag: answer["ETag"],
                isReplay: answer["Idempotency-Replayed"] == "true", body: String(decoding: answer.body, as: UTF8.self)))
        return answer
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        guard isOnline else { throw URLError(.notConnectedToInternet) }
        return try await inner.stream(request)
    }
}
