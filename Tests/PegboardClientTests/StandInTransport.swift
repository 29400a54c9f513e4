import Foundation
import Locking
import PegboardClient

/// A server of a few lines: answers each request by a closure, and remembers what was asked.
final class StandInTransport: Transport {
    typealias Answer = @Sendable (TransportRequest) async throws -> TransportResponse
    private let state: Mutex<State>

    private struct State {
        var answer: Answer
        var streams: [[String]] = []
        var requests: [TransportRequest] = []
    }

    init(_ answer: @escaping Answer = { _ in throw URLError(.notConnectedToInternet) }) {
        state = Mutex(State(answer: answer))
    }

    var requests: [TransportRequest] { state.withLock { $0.requests } }
    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    /// Each connection to the event stream gets the next of these, and then nothing more.
    func stream(_ streams: [[String]]) { state.withLock { $0.streams = streams } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answer
        }
        return try await answer(request)
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        let chunks: [String]? = state.withLock { state in
            state.requests.append(request)
            return state.streams.isEmpty ? nil : state.streams.removeFirst()
        }
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        guard let chunks else {
            continuation.finish()
            return TransportStream(head: problem(403, "forbidden"), chunks: stream)
        }
        for chunk in chunks { continuation.yield(Data(chunk.utf8)) }
        continuation.finish(throwing: URLError(.networkConnectionLost))
        return TransportStream(head: TransportResponse(status: 200), chunks: stream)
    }
}

func json(_ text: String, tag: String? = nil, status: Int = 200) -> TransportResponse {
    var headers = ["Content-Type": "application/json"]
    headers["ETag"] = tag
    return TransportResponse(status: status, headers: headers, body: Data(text.utf8))
}

func problem(_ status: Int, _ code: String, _ more: String = "", retryAfter: String? = nil) -> TransportResponse {
    var headers = ["Content-Type": "application/problem+json"]
    headers["Retry-After"] = retryAfter
    return TransportResponse(
        status: status, headers: headers,
        body: Data(#"{"status":\#(status),"code":"\#(code)","detail":"because"\#(more)}"#.utf8))
}

func layoutJSON(_ version: Int, _ favorites: [String], locked: Bool = false, origin: String? = nil) -> String {
    let list = favorites.map { #""\#($0)""# }.joined(separator: ",")
    let origin = origin.map { #","origin":"\#($0)""# } ?? ""
    return #"{"userId":"u","version":\#(version),"customized":true,"locked":\#(locked),"updatedAt":null,"#
        + #""catalogRevision":1,"favorites":[\#(list)]\#(origin)}"#
}

/// a–g, of which p is pinned at 0 where asked for; four defaults, five places.
func catalogJSON(pinned: Bool = false, revision: Int = 1, functions: String = "abcdefg") -> String {
    let entries = functions.map { id in
        let pin = pinned && id == "a" ? #","pin":0,"removable":false"# : ""
        return #"{"id":"\#(id)","title":{"en":"\#(id.uppercased())","de":"\#(id.uppercased())-de"}\#(pin)}"#
    }
    let ids = functions.map { #""\#($0)""# }.joined(separator: ",")
    return #"{"revision":\#(revision),"policy":{"minimum":1,"limit":5},"defaults":["a","b","c","d"],"#
        + #""sections":[{"id":"all","title":{"en":"All"},"functions":[\#(ids)]}],"functions":[\#(entries.joined(separator: ","))]}"#
}

func makeClient(
    _ transport: StandInTransport, attempts: Int = 3, slept: @escaping @Sendable (Duration) -> Void = { _ in },
    token: PegboardClient.TokenProvider? = nil
) -> PegboardClient {
    var settings = PegboardClient.Settings()
    settings.attempts = attempts
    settings.languages = ["de"]
    settings.sleep = { slept($0) }
    return PegboardClient(
        baseURL: URL(string: "http://server/")!, user: "u",
        identity: ClientIdentity(appVersion: "10.3.1", device: "d1"), transport: transport, settings: settings,
        token: token)
}
