import HTTP1
import LayoutAPI
import Locking
import Testing

private final class Level: LogLevelControl {
    private let current = Mutex(LogLevel.info)

    var level: LogLevel { current.withLock { $0 } }
    func change(to level: LogLevel) { current.withLock { $0 = level } }
}

@Suite struct LogLevelTests {
    private let target = "/v1/admin/log-level"

    @Test func itIsReadAndChanged() async throws {
        let level = Level()
        let service = try await TestService("a b") { $0.logLevel = level }
        #expect(try await service.get(target).text == #"{"level":"info"}"#)
        #expect(try await service.send(.put, target, [:], #"{"level":"debug"}"#).text == #"{"level":"debug"}"#)
        #expect(level.level == .debug)
        #expect(try await service.get(target).text == #"{"level":"debug"}"#)
    }

    @Test(arguments: [#"{"level":"loud"}"#, #"{"level":"INFO"}"#, #"{"level":1}"#, "{}", #"{"level":"info","x":1}"#])
    func whatIsNoLevelIsRefused(content: String) async throws {
        let level = Level()
        let service = try await TestService("a b") { $0.logLevel = level }
        #expect(try await service.send(.put, target, [:], content).status == 400)
        #expect(level.level == .info)
    }

    @Test func importanceIsOrdered() {
        #expect(LogLevel.allCases.sorted() == [.debug, .info, .warning, .error])
    }
}
