import Glibc

/// A file, or standard input, that is read piece by piece.
final class InputFile {
    private let descriptor: Int32
    private let path: String
    /// How many octets were read.
    private(set) var position = 0
    /// 0 where it has none: a pipe.
    let size: Int

    /// - Parameter path: `-` for standard input.
    /// - Throws: `CommandFailure` 65 where the file cannot be opened.
    init(_ path: String) throws {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = isFile ? Int(status.st_size) : 0
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// The next octets; nil at the end. Blocks.
    func read() throws -> [UInt8]? {
        var count = 0
        let piece = [UInt8](unsafeUninitializedCapacity: 64 * 1_024) { buffer, filled in
            count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            filled = max(count, 0)
        }
        guard count >= 0 else { throw Self.failure(path) }
        position += count
        return count == 0 ? nil : piece
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure(.badInput, "\(path) cannot be read: \(String(cString: strerror(errno))).")
    }
}
