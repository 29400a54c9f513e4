import Foundation
import PegboardClient
import Testing

@Suite struct QueueStorageTests {
    private struct Killed: Error {}

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pegboard-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test(arguments: FileQueueStorage.Step.allCases)
    func killedWhileWritingTheOldOrTheNewIsThere(step: FileQueueStorage.Step) throws {
        try withFolder { folder in
            try FileQueueStorage(folder: folder).replace(.edits, with: Data("old edits".utf8))
            let dying = FileQueueStorage(folder: folder) { if $0 == step { throw Killed() } }
            #expect(throws: Killed.self) { try dying.replace(.edits, with: Data("the new edits".utf8)) }
            let found = try FileQueueStorage(folder: folder).read(.edits).map { String(decoding: $0, as: UTF8.self) }
            #expect(found == (step == .renamed ? "the new edits" : "old edits"))
            // What the dead program left does not stand in the way.
            try FileQueueStorage(folder: folder).replace(.edits, with: Data("newest".utf8))
            #expect(try FileQueueStorage(folder: folder).read(.edits) == Data("newest".utf8))
        }
    }

    @Test func everyCutOfTheFileIsNoticed() throws {
        var stored = SyncState.Stored()
        stored.open = [.move("a", to: .after("b")), .add("c"), .remove("d")]
        let bytes = try EditsFile.encode(stored, of: "u")
        #expect(try EditsFile.decode(bytes, of: "u") == stored)
        for count in 0..<bytes.count {
            #expect(throws: EditsFile.Damaged.self, "\(count) of \(bytes.count)") {
                try EditsFile.decode(bytes.prefix(count), of: "u")
            }
        }
        #expect(throws: OfflineQueue.OtherUser.self) { try EditsFile.decode(bytes, of: "v") }
    }

    @Test func aDamagedFileIsSetAsideAndSaidSo() throws {
        try withFolder { folder in
            let storage = FileQueueStorage(folder: folder)
            try storage.replace(.edits, with: Data("pegboard-edits 1 99 ab\n{".utf8))
            let queue = try OfflineQueue(client: makeClient(StandInTransport()), storage: storage)
            #expect(queue.recovery == .damaged)
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "edits.damaged").path))
        }
    }
}
