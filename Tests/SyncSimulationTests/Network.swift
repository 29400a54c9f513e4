import Foundation
import PegboardClient

/// One device's way to the server. What happens to the next request is set before it is made.
///
/// @unchecked: one schedule runs in one task, and its devices and network with it.
final class Network: Transport, @unchecked Sendable {
    private let server: Server
    var fate = Fate.delivered
    /// Requests that the network will deliver once more, some time.
    private(set) var late: [TransportRequest] = []
    var isOnline = true

    enum Fate: String, CaseIterable {
        case delivered
        /// It arrives, and later again.
        case duplicated
        case requestLost
        case answerLost
        /// The sender gives up; the request arrives after that.
        case delayed
        case busy
    }

    struct Down: Error {}

    init(server: Server) { self.server = server }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard isOnline else { throw Down() }
        switch fate {
        case .delivered: return try await server.answer(request)
        case .duplicated:
            late.append(request)
            return try await server.answer(request)
        case .requestLost: throw Down()
        case .answerLost:
            _ = try await server.answer(request)
            throw Down()
        case .delayed:
            late.append(request)
            throw Down()
        case .busy: return TransportResponse(status: 503, headers: ["Retry-After": "1"])
        }
    }

    func deliverLate(_ pick: Int) async throws {
        guard !late.isEmpty else { return }
        _ = try await server.answer(late.remove(at: pick % late.count))
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream { throw Down() }
}
