import Foundation
import Locking
import PegboardClient
import Testing

@Suite struct LayoutEventsTests {
    private static let own = "ios/10.3.1 (d1)"

    private func frame(_ id: Int, _ name: String = "layout", origin: String? = nil) -> String {
        "id: \(id)\nevent: \(name)\ndata: \(layoutJSON(id, ["a"], origin: origin))\n\n"
    }

    @Test func theStreamComesBackAndGoesOnWhereItWas() async throws {
        let transport = StandInTransport()
        transport.stream([[": hello\n\n", frame(4, origin: Self.own) + ":\n\n", frame(5)], [], [frame(9, "resync")]])
        var seen: [String] = []
        do {
            for try await event in makeClient(transport).events(after: 3) {
                seen.append("\(event.kind) \(event.layout.version) \(event.isOwn)")
            }
        } catch PegboardError.problem(let problem) {
            seen.append("\(problem.status)")
        }
        #expect(seen == ["change 4 true", "change 5 false", "resync 9 false", "403"])
        #expect(transport.requests.map { $0["Last-Event-ID"] } == ["3", "5", "5", "9"])
        #expect(transport.requests.allSatisfy { $0["Accept"] == "text/event-stream" })
    }

    @Test func anEventThatWasCutIsAskedForAgain() async throws {
        for length in 0..<frame(5).count {
            let transport = StandInTransport()
            transport.stream([[frame(4) + frame(5).prefix(length)], [frame(5)]])
            do {
                for try await _ in makeClient(transport).events(after: 3) {}
            } catch is PegboardError {}
            #expect(transport.requests.map { $0["Last-Event-ID"] } == ["3", "4", "5"], "cut after \(length)")
        }
    }

    @Test(arguments: 1...60) func whereTheBytesAreCutDoesNotMatter(size: Int) async throws {
        let text =
            "\u{FEFF}retry: 1500\r\n: note\r\n" + frame(1) + "event:layout\rid:2\rdata:\(layoutJSON(2, ["ü"]))\r\r"
            + frame(3)
        let bytes = Array(text.utf8)
        let transport = PiecesTransport(
            pieces: stride(from: 0, to: bytes.count, by: size).map {
                Data(bytes[$0..<min($0 + size, bytes.count)])
            })
        var settings = PegboardClient.Settings()
        settings.sleep = { _ in throw CancellationError() }
        let client = PegboardClient(
            baseURL: URL(string: "http://s")!, user: "u", identity: .init(appVersion: "1", device: "d"),
            transport: transport, settings: settings)
        var versions: [Int64] = []
        do {
            for try await event in client.events() { versions.append(event.layout.version) }
        } catch is CancellationError {}
        #expect(versions == [1, 2, 3])
    }
}

private struct PiecesTransport: Transport {
    let pieces: [Data]

    func send(_ request: TransportRequest) async throws -> TransportResponse { throw URLError(.badURL) }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        for piece in pieces { continuation.yield(piece) }
        continuation.finish()
        return TransportStream(head: TransportResponse(status: 200), chunks: stream)
    }
}
