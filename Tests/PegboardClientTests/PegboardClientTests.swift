import Foundation
import Locking
import PegboardClient
import Testing

@Suite struct PegboardClientTests {
    @Test func aRequestSaysWhoAsks() async throws {
        let transport = StandInTransport { _ in json(layoutJSON(3, ["a"]), tag: "\"3\"") }
        let layout = try await makeClient(transport).layout()
        #expect(layout.version == 3)
        #expect(layout.tag?.rawValue == "\"3\"")
        let request = try #require(transport.requests.first)
        #expect(request.url.absoluteString == "http://server/v1/users/u/layout?platform=ios&appVersion=10.3.1")
        #expect(request["pegboard-client"] == "ios/10.3.1 (d1)")
        #expect(request["Accept-Language"] == "de")
    }

    @Test func anAnswerThatIsStillRightIsNotSentAgain() async throws {
        let transport = StandInTransport { request in
            request["If-None-Match"] == "\"3\""
                ? TransportResponse(status: 304) : json(layoutJSON(3, ["a"]), tag: "\"3\"")
        }
        let client = makeClient(transport)
        #expect(try await client.layout() == client.layout())
        #expect(transport.requests.map { $0["If-None-Match"] } == [nil, "\"3\""])
    }

    @Test func theCacheIsBounded() async throws {
        let transport = StandInTransport { request in json(layoutJSON(1, ["a"]), tag: "\"\(request.url.path)\"") }
        let client = makeClient(transport)
        for number in 0..<40 { _ = try await client.revision(Int64(number)) }
        _ = try await client.revision(0)
        #expect(transport.requests.last?["If-None-Match"] == nil)
        _ = try await client.revision(39)
        #expect(transport.requests.last?["If-None-Match"] != nil)
    }

    @Test func anIDCannotChangeThePath() async throws {
        let transport = StandInTransport { _ in problem(404, "not_found") }
        await #expect(throws: PegboardError.self) { try await makeClient(transport).deleteFavorite("../a b/ü") }
        #expect(transport.requests[0].url.absoluteString.contains("/layout/favorites/..%2Fa%20b%2F%C3%BC?"))
    }

    @Test func aRejectedTokenIsReplacedOnce() async throws {
        let asked = Mutex<[Bool]>([])
        let transport = StandInTransport { request in
            request["Authorization"] == "Bearer new" ? json(layoutJSON(1, ["a"])) : problem(401, "invalid_token")
        }
        let client = makeClient(
            transport,
            token: { isRejected in
                asked.withLock { $0.append(isRejected) }
                return isRejected ? "new" : "old"
            })
        _ = try await client.layout()
        #expect(asked.withLock { $0 } == [false, true])
        transport.answer { _ in problem(401, "invalid_token") }
        await #expect(throws: PegboardError.self) { try await client.layout() }
        #expect(transport.requests.count == 4)
    }

    @Test func aProblemCarriesCodeParametersAndTheLayout() async throws {
        let transport = StandInTransport { _ in
            problem(
                409, "favorites_limit",
                #","params":{"limit":5,"id":"x","indexes":[1,2]},"operationIndex":1,"current":\#(layoutJSON(9, ["a"]))"#
            )
        }
        let error = await #expect(throws: PegboardError.self) { try await makeClient(transport).apply([.add("x")]) }
        guard case .problem(let problem) = error else {
            Issue.record("\(String(describing: error)) is no problem")
            return
        }
        #expect(problem.code == .favoritesLimit)
        #expect(problem.params == ["limit": .number(5), "id": .text("x"), "indexes": .numbers([1, 2])])
        #expect(problem.operationIndex == 1)
        #expect(problem.current?.version == 9)
        #expect(transport.requests.count == 1)
    }

    @Test func aRepeatedWriteKeepsItsKeyAndWaitsAsAsked() async throws {
        let slept = Mutex<[Duration]>([])
        let count = Mutex(0)
        let transport = StandInTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            switch number {
            case 1: return problem(503, "busy", retryAfter: "7")
            case 2: throw URLError(.timedOut)
            default: return json(#"{"layout":\#(layoutJSON(2, ["a"])),"changed":true,"outcomes":[]}"#, tag: "\"2\"")
            }
        }
        let client = makeClient(transport, slept: { duration in slept.withLock { $0.append(duration) } })
        let change = try await client.apply([.remove("b")], basis: .version(1))
        #expect(change.layout.version == 2)
        #expect(Set(transport.requests.map { $0["Idempotency-Key"] }).count == 1)
        #expect(Set(transport.requests.map(\.body)).count == 1)
        #expect(transport.requests[0]["Idempotency-Key"] != nil)
        #expect(slept.withLock { $0[0] } >= .seconds(7))
        #expect(slept.withLock { $0[1] } <= .seconds(1))
    }

    @Test func operationsStandInTheRequestAsTheContractHasThem() async throws {
        let transport = StandInTransport { _ in problem(400, "x") }
        let operations: [FavoritesOperation] = [
            .move("a", to: .index(2)), .move(["b", "c"], to: .before("d")), .add("e", at: .last), .add("f"),
            .remove("g"),
        ]
        _ = try? await makeClient(transport).apply(operations, basis: .version(4))
        let body = try #require(transport.requests[0].body)
        #expect(
            String(decoding: body, as: UTF8.self) == #"{"baseVersion":4,"operations":["#
                + #"{"at":{"index":2},"id":"a","op":"move"},{"at":{"before":"d"},"ids":["b","c"],"op":"move"},"#
                + #"{"at":{"edge":"last"},"id":"e","op":"add"},{"id":"f","op":"add"},{"id":"g","op":"remove"}]}"#)
        struct Content: Decodable { var operations: [FavoritesOperation] }
        #expect(try JSONDecoder().decode(Content.self, from: body).operations == operations)
    }

    @Test func fullJitterStaysBelowTheExponential() {
        var random = SystemRandomNumberGenerator()
        let backoff = Backoff(base: .seconds(1), limit: .seconds(10))
        for attempt in 0..<200 {
            let delay = backoff.delay(attempt: attempt, using: &random)
            #expect(delay >= .zero && delay <= min(.seconds(10), .seconds(1) * (1 << min(attempt, 10))))
        }
        #expect(backoff.delay(attempt: 0, retryAfter: .seconds(20), using: &random) >= .seconds(20))
    }

    /// What an app's alert shows of an error that it has no words for.
    @Test func errorsHaveWordsForPeople() {
        let problem = PegboardError.Problem(
            status: 409, code: "layout_locked", detail: "Support has frozen this layout.")
        let errors: [any Error] = [
            PegboardError.problem(problem), PegboardError.problem(.init(status: 502, code: "http_502")),
            PegboardError.unreachable(URLError(.timedOut)), PegboardError.unexpectedAnswer(status: 200, reason: "[]"),
            Refusal(code: .itemNotMovable, message: "Scan always comes first"),
        ]
        let words = errors.map(\.localizedDescription)
        #expect(words[0] == "Support has frozen this layout.")
        #expect(words[1] == "The server answered 502 http_502.")
        #expect(words[2].hasPrefix("The server gave no answer: "))
        #expect(words[3] == "The server’s answer (200) is not understood.")
        #expect(words[4] == "Scan always comes first")
    }

    @Test func aCancelledCallEndsAsCancelled() async {
        let transport = StandInTransport { _ in
            try await Task.sleep(for: .seconds(60))
            return json("{}")
        }
        let task = Task { try await makeClient(transport).layout() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
