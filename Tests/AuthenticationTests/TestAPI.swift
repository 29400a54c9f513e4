import HTTP1
import LayoutApplication
import Locking
import Metrics

@testable import LayoutAPI

/// The API over a store that counts, trusting one issuer.
struct TestAPI {
    let store = CountingStore()
    let clock = TestClock()
    /// What the log was told.
    let exchanges = Exchanges()
    let authenticator: Authenticator
    /// What wakes the watchers.
    let feed = ChangeFeed()
    private let api: API

    init(authentication: Authentication? = nil) async throws {
        let clock = clock
        authenticator = try Issuer.shared.authenticator(clock: { clock.milliseconds() })
        let catalogs = try await CatalogService(store: store, coding: .json, clock: { 0 })
        _ = try await catalogs.publish(
            try CatalogCoding.json.decode(Array(Self.catalog.utf8)), by: "the test", if: .none)
        var settings = API.Settings(clock: { clock.milliseconds() })
        settings.log = { [exchanges] exchange in exchanges.append(exchange) }
        settings.authentication = authentication ?? .bearer(authenticator)
        settings.metricsPage = MetricsPage { MetricsText() }
        settings.logLevel = FixedLevel()
        settings.backup = { BackupReport(file: $0, bytes: 1, layouts: 1) }
        api = API(
            layouts: LayoutService(store: store, catalogs: catalogs, feed: feed, clock: { 0 }), catalogs: catalogs,
            health: Health(),
            settings: settings)
    }

    static let catalog = """
        {"sections":[{"id":"money","title":{"en":"Money"},"functions":["pay","scan"]}],
         "functions":[{"id":"pay","title":{"en":"Pay"}},{"id":"scan","title":{"en":"Scan"}}],
         "policy":{"minimum":0,"limit":5},"defaults":["scan"]}
        """

    /// - Parameter fields: besides those of `Authorization`.
    func answer(
        _ method: HTTP1.Method, _ target: String, authorization: [String] = [],
        fields: [(name: StaticString, value: String)] = [], content: String = ""
    ) async throws -> TestAnswer {
        var request = Request()
        request.method = method
        request.target = try RequestTarget(target, for: method)
        for value in authorization { request.fields.append(name: "Authorization", value: value) }
        for field in fields { request.fields.append(name: field.name, value: field.value) }
        request.content = Array(content.utf8)
        switch api.answer(request) {
        case .now(let response): return TestAnswer(response)
        case .later(let work): return TestAnswer(await work())
        case .promised(let begin):
            return await withCheckedContinuation { waiter in
                begin(Reply { make in waiter.resume(returning: TestAnswer(make())) })
            }
        }
    }
}

private struct FixedLevel: LogLevelControl {
    var level: LogLevel { .info }
    func change(to level: LogLevel) {}
}

/// The lines of a log.
final class Exchanges: Sendable {
    private let lines = Mutex<[Exchange]>([])

    func append(_ line: Exchange) { lines.withLock { $0.append(line) } }
    var all: [Exchange] { lines.withLock { $0 } }
}

struct TestAnswer {
    let response: Response
    let status: Int
    let challenge: String?
    let text: String

    init(_ response: Response) {
        self.response = response
        status = response.status.code
        challenge = response.fields.first("WWW-Authenticate")
        if case .bytes(let octets) = response.content {
            text = String(decoding: octets, as: UTF8.self)
        } else {
            text = ""
        }
    }
}
