public import Foundation

/// Where an `OfflineQueue` keeps what must outlive the program.
public protocol QueueStorage: Sendable {
    /// - Returns: nil where nothing was written yet.
    func read(_ item: QueueItem) throws -> Data?

    /// Replaces the whole item. Afterwards, and whatever happens during it, either the old or the new bytes are there; on
    /// return the new ones are on stable storage.
    func replace(_ item: QueueItem, with data: Data) throws

    /// Keeps bytes that cannot be read out of the way, for somebody to look at.
    func setAside(_ item: QueueItem) throws
}

public enum QueueItem: String, Sendable, CaseIterable {
    /// The edits, and the list on which they were made.
    case edits
    /// The last catalog.
    case catalog
}

/// A folder with one file for each item.
public struct FileQueueStorage: QueueStorage {
    private let folder: URL
    private let interrupt: @Sendable (Step) throws -> Void

    /// Where a program can be killed; tests do it here.
    package enum Step: Sendable, CaseIterable { case created, partlyWritten, written, synchronized, renamed }

    /// - Parameter folder: of this user alone; it is made where it is missing.
    public init(folder: URL) { self.init(folder: folder) { _ in } }

    package init(folder: URL, interrupt: @escaping @Sendable (Step) throws -> Void) {
        self.folder = folder
        self.interrupt = interrupt
    }

    private func path(_ item: QueueItem, _ ending: String = "") -> String {
        folder.appending(path: item.rawValue + ending).path
    }

    public func read(_ item: QueueItem) throws -> Data? {
        guard FileManager.default.fileExists(atPath: path(item)) else { return nil }
        return try Data(contentsOf: URL(filePath: path(item)))
    }

    public func replace(_ item: QueueItem, with data: Data) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let draft = path(item, ".new")
        guard FileManager.default.createFile(atPath: draft, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
        try interrupt(.created)
        let file = try FileHandle(forWritingTo: URL(filePath: draft))
        defer { try? file.close() }
        try file.write(contentsOf: data.prefix(data.count / 2))
        try interrupt(.partlyWritten)
        try file.write(contentsOf: data.dropFirst(data.count / 2))
        try interrupt(.written)
        try file.synchronize()
        try interrupt(.synchronized)
        // POSIX rename replaces in one step; FileManager would refuse, or do it in two.
        guard rename(draft, path(item)) == 0 else { throw CocoaError(.fileWriteUnknown) }
        try interrupt(.renamed)
        try synchronizeFolder()
    }

    /// A rename is as durable as the folder that says it.
    private func synchronizeFolder() throws {
        let descriptor = open(folder.path, O_RDONLY)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = fsync(descriptor)
    }

    public func setAside(_ item: QueueItem) throws {
        guard rename(path(item), path(item, ".damaged")) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}

/// Nothing outlives the program: for previews and tests.
public struct NoQueueStorage: QueueStorage {
    public init() {}
    public func read(_ item: QueueItem) -> Data? { nil }
    public func replace(_ item: QueueItem, with data: Data) {}
    public func setAside(_ item: QueueItem) {}
}

/// The edits as bytes: a line that says how many bytes follow and what their checksum is, then JSON.
package enum EditsFile {
    package struct Damaged: Error {}

    private struct Content: Codable {
        var user: String
        var state: SyncState.Stored
    }

    package static func encode(_ state: SyncState.Stored, of user: String) throws -> Data {
        let content = try JSONEncoder.canonical.encode(Content(user: user, state: state))
        return Data("pegboard-edits 1 \(content.count) \(checksum(content))\n".utf8) + content
    }

    /// - Throws: `Damaged` for anything but the whole of what was written; `OfflineQueue.OtherUser`.
    package static func decode(_ data: Data, of user: String) throws -> SyncState.Stored {
        guard let end = data.firstIndex(of: UInt8(ascii: "\n")) else { throw Damaged() }
        let content = data[data.index(after: end)...]
        let head = "pegboard-edits 1 \(content.count) \(checksum(content))"
        guard data[..<end].elementsEqual(head.utf8),
            let decoded = try? JSONDecoder().decode(Content.self, from: Data(content))
        else { throw Damaged() }
        guard decoded.user.utf8.elementsEqual(user.utf8) else { throw OfflineQueue.OtherUser() }
        return decoded.state
    }

    /// FNV-1a: against cut and mixed files, not against anybody.
    private static func checksum(_ data: Data) -> String {
        String(data.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }
}
