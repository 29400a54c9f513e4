/// How files are read. The program's own way comes from outside: nothing here does I/O.
package struct FileAccess: Sendable {
    /// The content of the file at a path. Its errors describe themselves by the path and a reason.
    package var read: @Sendable (String) throws -> [UInt8]
    /// What tells one state of a file from another without reading it; nil where there is no such file.
    package var stamp: @Sendable (String) -> FileStamp?

    package init(
        read: @escaping @Sendable (String) throws -> [UInt8], stamp: @escaping @Sendable (String) -> FileStamp?
    ) {
        self.read = read
        self.stamp = stamp
    }
}

/// A file's state. A file that is replaced by renaming has another inode, even within the resolution of its times.
package struct FileStamp: Equatable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    /// In nanoseconds since 1970.
    package var modified: Int64

    package init(device: UInt64, inode: UInt64, size: Int64, modified: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
    }
}
