import CSystem
import Glibc
import LayoutApplication
import LayoutModel
import LayoutSQLite
import LayoutTesting
import Testing

/// What is read on the thread of the one who asks.
@Suite struct ReadingTests {
    private let database = Database()

    @Test func whatWasNeverReadIsAtHand() async throws {
        try await database.withStore { store in
            for number in 1...3 { try await store.put(["a", "b"], of: UserID("u\(number)")!) }
        }
        try await database.withStore { store in
            let first = try #require(store.layoutAtHand(of: "u1"))
            #expect(first.layout.favorites == ["a", "b"])
            #expect(store.layoutAtHand(of: "u1") === first, "it was kept")
            #expect(try await store.layout(of: "u1") === first)
            #expect(store.layoutAtHand(of: "nobody")?.layout == .never)
            #expect(store.cached.hits == 1 && store.cached.misses == 2)
        }
    }

    /// Who hands it out without a word would hide that it is there: `layout(of:)` tells.
    @Test func aDamagedLayoutIsNotAtHand() async throws {
        try await database.withStore { try await $0.put(["a"], of: "u1") }
        try database.execute("UPDATE layouts SET items = 'b'")
        try await database.withStore { store in
            #expect(store.layoutAtHand(of: "u1") == nil)
            #expect(store.damagedRecords == 0)
            #expect(await fault { try await store.layout(of: "u1") } == .damaged)
            #expect(store.damagedRecords == 1)
        }
    }

    @Test func afterClosingNothingIsAtHand() async throws {
        let store = try database.open()
        try await store.put(["a"], of: "u1")
        await store.close()
        #expect(store.layoutAtHand(of: "u1") == nil)
    }

    /// Readers share two connections with the queues of those who take their time, and with the end of the store.
    @Test func manyReadAtOnce() async throws {
        let users = (0..<200).map { UserID("u\($0)")! }
        // A cache that holds next to nothing.
        let store = try database.configured { $0.cacheBytes = 16 }.open()
        for user in users { try await store.put(["a", "b"], of: user) }
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for user in users {
                        if let entry = store.layoutAtHand(of: user) { #expect(entry.layout.favorites == ["a", "b"]) }
                        guard let page = try? await store.layouts(after: user, limit: 20) else { return }
                        #expect(page.allSatisfy { $0.layout.favorites == ["a", "b"] })
                    }
                }
            }
            group.addTask { for user in users { _ = try? await store.layout(of: user) } }
            await group.next()
            await store.close()
        }
        #expect(store.layoutAtHand(of: "u1") == nil)
    }

    /// A file of the kernel's own has no pages in memory: whether it can be read at once cannot be told.
    @Test func aReadThatMustNotWaitFailsWhereItCannotTell() {
        let file = open("/proc/self/stat", O_RDONLY)
        defer { close(file) }
        var octet: UInt8 = 0
        system_wait_for_reads(0)
        let refused = system_read(file, &octet, 1, 0)
        let reason = errno
        system_wait_for_reads(1)
        #expect(refused == -1 && reason == EAGAIN)
        let read = system_read(file, &octet, 1, 0)
        #expect(read == 1)
    }

    @Test func whatIsInMemoryIsReadWithoutWaiting() {
        database.write([1, 2, 3], to: "file")
        let file = open(database.folder.file("file"), O_RDONLY)
        defer { close(file) }
        var octets = [UInt8](repeating: 0, count: 8)
        system_wait_for_reads(0)
        let count = system_read(file, &octets, 8, 1)
        system_wait_for_reads(1)
        #expect(count == 2 && octets[..<2] == [2, 3])
    }
}
