import LayoutApplication
import LayoutModel
import LayoutTesting
import Testing

extension StoreConformance {
    @Suite struct Idempotency {
        @Test(arguments: Backend.allCases) func aRepeatIsAnsweredAsTheFirstTime(backend: Backend) async throws {
            try await backend.withStore { store in
                let first = try await store.change(request())
                #expect(first == .decided(1))
                #expect(try await store.change(request()) == .replayed(answer(to: 1)))
                #expect(try await store.layout(of: "u1").layout.version == 1)
            }
        }

        @Test(arguments: Backend.allCases) func parallelRepeatsAreAppliedOnce(backend: Backend) async throws {
            try await backend.withStore { store in
                let outcomes = try await withThrowingTaskGroup(returning: [Outcome].self) { group in
                    for _ in 0..<20 { group.addTask { try await store.change(request()) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(outcomes.filter { $0 == .decided(1) }.count == 1)
                #expect(outcomes.filter { $0 == .replayed(answer(to: 1)) }.count == 19)
            }
        }

        @Test(arguments: Backend.allCases) func aKeyForAnotherContentIsRefused(backend: Backend) async throws {
            try await backend.withStore { store in
                _ = try await store.change(request(fingerprint: [1]))
                await #expect(throws: IdempotencyKeyReused()) { try await store.change(request(fingerprint: [2])) }
                #expect(try await store.layout(of: "u1").layout.version == 1)
            }
        }

        @Test(arguments: Backend.allCases) func aKeyMeansOneThingInOnePlace(backend: Backend) async throws {
            try await backend.withStore { store in
                _ = try await store.change(request())
                #expect(try await store.change(request(scope: "PUT /other")) == .decided(2))
                #expect(try await store.change(request(key: "K")) == .decided(3))
                #expect(try await store.change(request(), of: "u2") == .decided(1))
            }
        }

        @Test(arguments: Backend.allCases) func keysCompareByTheirBytes(backend: Backend) async throws {
            try await backend.withStore { store in
                let composed = try await store.change(request(key: "caf\u{E9}"))
                #expect(composed == .decided(1))
                #expect(try await store.change(request(key: "cafe\u{301}")) == .decided(2))
            }
        }

        @Test(arguments: Backend.allCases) func anExpiredRecordIsAsGoodAsAbsent(backend: Backend) async throws {
            try await backend.withStore { store in
                _ = try await store.change(request(now: 1_000))
                #expect(try await store.change(request(notBefore: 1_000, now: 2_000)) == .replayed(answer(to: 1)))
                #expect(try await store.change(request(fingerprint: [9], notBefore: 1_001, now: 2_000)) == .decided(2))
                #expect(
                    try await store.change(request(fingerprint: [9], notBefore: 1_001, now: 2_001))
                        == .replayed(answer(to: 2)))
            }
        }

        @Test(arguments: Backend.allCases) func nothingIsKeptWithoutAnAnswer(backend: Backend) async throws {
            try await backend.withStore { store in
                for version in 1...2 as ClosedRange<Version> {
                    let outcome = try await store.update("u1", request: request()) { transaction in
                        Decision(change: transaction.change(to: ["a"]), value: version)
                    }
                    #expect(Outcome(outcome) == .decided(version))
                }
            }
        }

        @Test(arguments: Backend.allCases) func anAnswerIsKeptWithoutAChange(backend: Backend) async throws {
            try await backend.withStore { store in
                _ = try await store.update("u1", request: request()) { _ in
                    Decision(change: nil, value: 0, answer: answer(to: 0))
                }
                #expect(try await store.change(request()) == .replayed(answer(to: 0)))
                #expect(try await store.layout(of: "u1").layout == .never)
            }
        }

        @Test(arguments: Backend.allCases) func aRefusalIsNotRemembered(backend: Backend) async throws {
            try await backend.withStore { store in
                await #expect(throws: Refused.self) {
                    try await store.update("u1", request: request()) { _ -> Decision<Int> in throw Refused() }
                }
                let outcome = try await store.change(request())
                #expect(outcome == .decided(1))
            }
        }

        @Test(arguments: Backend.allCases) func answersOfAnyBytesComeBackWhole(backend: Backend) async throws {
            let whole = RecordedAnswer(status: 422, entityTag: "\"1+c3\"", content: (0...255).map { UInt8($0) })
            let empty = RecordedAnswer(status: 204, entityTag: "", content: [])
            try await backend.withStore { store in
                for (key, answer) in [("whole", whole), ("empty", empty)] {
                    _ = try await store.update("u1", request: request(key: key, fingerprint: [])) { _ in
                        Decision(change: nil, value: 0, answer: answer)
                    }
                    #expect(try await store.change(request(key: key, fingerprint: [])) == .replayed(answer))
                }
            }
        }
    }
}

private func request(
    scope: String = "POST /layout", key: String = "k", fingerprint: [UInt8] = [1, 2], notBefore: Timestamp = 0,
    now: Timestamp = 1_000
) -> IdempotentRequest {
    IdempotentRequest(scope: scope, key: key, fingerprint: fingerprint, notBefore: notBefore, now: now)
}

private func answer(to version: Version) -> RecordedAnswer {
    RecordedAnswer(status: 200, entityTag: "\"\(version)\"", content: Array("version \(version)".utf8))
}

/// `Settled<Version>`, to be compared.
private enum Outcome: Equatable, Sendable {
    case decided(Version)
    case replayed(RecordedAnswer)

    init(_ settled: Settled<Version>) {
        switch settled {
        case .decided(let version): self = .decided(version)
        case .replayed(let answer): self = .replayed(answer)
        }
    }
}

extension LayoutStore {
    /// A change that every repeat would make again, answered with its version.
    fileprivate func change(_ request: IdempotentRequest, of user: UserID = "u1") async throws -> Outcome {
        let settled = try await update(user, request: request) { transaction in
            let change = transaction.change(to: ["a"])
            let version = change.layout.version
            return Decision(change: change, value: version, answer: answer(to: version))
        }
        return Outcome(settled)
    }
}
