import LayoutApplication
import LayoutModel
import LayoutTesting
import Locking
import Testing

extension StoreConformance {
    @Suite struct Entries {
        @Test(arguments: Backend.allCases) func whatWasReadIsInMemory(backend: Backend) async throws {
            try await backend.withStore { store in
                #expect(store.layoutAtHand(of: "u1")?.layout ?? .never == .never)
                let read = try await store.layout(of: "u1")
                guard backend.remembers else { return #expect(store.layoutAtHand(of: "u1") == nil) }
                #expect(store.layoutAtHand(of: "u1") === read)
                #expect(try await store.layout(of: "u1") === read)
            }
        }

        @Test(arguments: Backend.allCases) func aNewVersionIsANewEntry(backend: Backend) async throws {
            try await backend.withStore { store in
                let before = try await store.layout(of: "u1")
                before.rendering.withLock { $0 = Rendering() }
                try await store.put(["a"], of: "u1")
                let after = try await store.layout(of: "u1")
                #expect(after.layout.version == 1)
                #expect(after.rendering.withLock { $0 == nil })
                #expect(before.layout == .never, "who holds an entry holds what it was")
            }
        }

        @Test(arguments: Backend.allCases) func withoutAChangeTheEntryStays(backend: Backend) async throws {
            try await backend.withStore { store in
                let before = try await store.layout(of: "u1")
                _ = try await store.update("u1", request: nil) { _ in Decision(change: nil, value: ()) }
                _ = try? await store.update("u1", request: nil) { _ -> Decision<Int> in throw Refused() }
                #expect(store.layoutAtHand(of: "u1") === (backend.remembers ? before : nil))
            }
        }

        @Test(arguments: Backend.allCases) func usersDoNotShareAnEntry(backend: Backend) async throws {
            try await backend.withStore { store in
                let (one, two) = (try await store.layout(of: "u1"), try await store.layout(of: "u2"))
                #expect(one !== two)
            }
        }
    }

    @Suite struct Life {
        @Test(arguments: Backend.allCases) func anOpenStoreIsWell(backend: Backend) async throws {
            try await backend.withStore { try await $0.check() }
        }

        @Test(arguments: Backend.allCases) func afterClosingEverythingIsRefused(backend: Backend) async throws {
            try await backend.withStore { store in
                try await store.put(["a"], of: "u1")
                await store.close()
                #expect(store.layoutAtHand(of: "u1") == nil)
                await #expect(throws: StoreError.closed) { try await store.layout(of: "u1") }
                await #expect(throws: StoreError.closed) { try await store.put(["b"], of: "u1") }
                await #expect(throws: StoreError.closed) { try await store.currentCatalog() }
                await #expect(throws: StoreError.closed) { try await store.catalog(revision: 1) }
                await #expect(throws: StoreError.closed) { try await store.catalogRevisions(below: nil, limit: 1) }
                await #expect(throws: StoreError.closed) { try await store.publish { _ in throw Refused() } }
                await #expect(throws: StoreError.closed) { try await store.layouts(after: nil, limit: 1).count }
                await #expect(throws: StoreError.closed) { try await store.revisions(of: "u1", below: nil, limit: 1) }
                await #expect(throws: StoreError.closed) { try await store.revision(1, of: "u1") }
                await #expect(throws: StoreError.closed) { try await store.recordedRequests(of: "u1") }
                await #expect(throws: StoreError.closed) { try await store.erase("u1") }
                await #expect(throws: StoreError.closed) {
                    try await store.prune(revisionsBefore: 0, requestsBefore: 0)
                }
                await #expect(throws: StoreError.closed) { try await store.check() }
                await store.close()
            }
        }

        /// What was accepted is finished; what comes too late is told so.
        @Test(arguments: Backend.allCases) func closingFinishesWhatWasAccepted(backend: Backend) async throws {
            try await backend.withStore { store in
                await withTaskGroup { group in
                    for number in 0..<50 {
                        group.addTask {
                            do { #expect(try await store.put(["a"], of: UserID("u\(number)")!).version == 1) } catch {
                                #expect(error as? StoreError == .closed)
                            }
                        }
                    }
                    group.addTask { await store.close() }
                }
            }
        }
    }
}

private final class Rendering: Sendable {}
