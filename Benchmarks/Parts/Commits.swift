import Glibc
import LayoutApplication
import LayoutModel
import LayoutSQLite

/// The store on a disk: durable changes of a list of twelve, so many at a time, each to a user of its own with a full history.
func measureCommits() async throws {
    var folder = Array("/var/tmp/bench-parts.XXXXXX".utf8CString)
    guard mkdtemp(&folder) != nil else { fatalError("no folder can be made in /var/tmp") }
    let path = String(decoding: folder.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
        for name in ["", "-wal", "-shm", ".lock"] { unlink("\(path)/layouts.db\(name)") }
        rmdir(path)
    }
    var configuration = SQLiteLayoutStore.Configuration(.file("\(path)/layouts.db"))
    configuration.historyKept = 10
    let store = try SQLiteLayoutStore.open(configuration)
    for width in [1, 16, 64] {
        let changes = 50
        try await measure("a durable change, \(width) at a time", calls: width * changes) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<width {
                    group.addTask { for _ in 0..<changes { try await change(UserID("user-\(number)")!, in: store) } }
                }
                try await group.waitForAll()
            }
        }
    }
    await store.close()
}

private let lists = [list(12), list(12).reversed()]

private func change(_ user: UserID, in store: SQLiteLayoutStore) async throws {
    _ = try await store.update(user, request: nil) { transaction in
        let version = transaction.current.nextVersion(floor: transaction.versionFloor)
        let layout = StoredLayout(favorites: lists[Int(version % 2)], version: version, updatedAt: 1_800_000_000_000)
        return Decision(change: LayoutChange(layout: layout, kind: .operations), value: ())
    }
}
