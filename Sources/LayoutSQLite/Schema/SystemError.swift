import Glibc

/// A call to the operating system that failed.
struct SystemError: Error, CustomStringConvertible {
    let code: Int32

    var description: String { Self.text(code) }

    /// The C library's words for `code`: `No space left on device`.
    static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// - Throws: `errno`, where a call answered -1.
    static func check(_ result: Int32) throws(SystemError) {
        if result < 0 { throw SystemError(code: errno) }
    }
}
