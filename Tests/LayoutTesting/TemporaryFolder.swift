import Glibc

/// A folder of a test's own, gone with it. It holds files, no folders.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() {
        var template = Array("/tmp/pegboard-test-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no temporary folder, errno \(errno)")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    package var files: Set<String> { Self.names(in: path) }

    package static func names(in path: String) -> Set<String> {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: Set<String> = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.insert(name) }
        }
        return names
    }

    deinit {
        for name in files { unlink(file(name)) }
        rmdir(path)
    }
}
