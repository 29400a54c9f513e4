import Foundation
import PegboardClient
import Synchronization

/// What happened, one JSON line each, in the file when the call returns: a killed program keeps what it wrote.
final class Record: Sendable {
    struct Line: Encodable {
        var what: What
        var device: String
        /// An edit: its number in this run, and what it does.
        var edit: Int?
        var op: String?
        var id: String?
        /// Why the device itself refused it.
        var refused: String?
        /// A request and its answer.
        var key: String?
        var status: Int?
        var tag: String?
        var isReplay: Bool?
        var body: String?
        var pending: Int?
        var halted: String?
        var favorites: [String]?
        var reports: [EditReport]?
    }

    enum What: String, Encodable {
        /// Before and after the library was told of an edit.
        case intent, made
        case sent, answer
        /// What is shown at rest, by the event stream alone; and in the end.
        case heard, end
    }

    private let file: Mutex<FileHandle>

    init(_ url: URL) throws {
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        file = Mutex(try FileHandle(forWritingTo: url))
    }

    /// One `write(2)` a line. A record with a line missing proves nothing: where one cannot be kept the run ends.
    func write(_ line: Line) {
        let data = try! JSONEncoder().encode(line) + Data("\n".utf8)
        file.withLock { try! $0.write(contentsOf: data) }
    }
}
