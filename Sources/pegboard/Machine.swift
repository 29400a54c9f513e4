import CSystem
import Glibc
import LayoutAPI

/// What the operating system tells of this machine and this process.
enum Machine {
    static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    static var environment: [String: String] {
        var environment: [String: String] = [:]
        var next = system_environment()
        while let entry = next?.pointee {
            let text = String(cString: entry)
            if let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
                environment[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next = next?.advanced(by: 1)
        }
        return environment
    }

    /// The wall clock, in milliseconds since 1970: for stamps alone, never for time-outs.
    static func now() -> Int64 { milliseconds(by: CLOCK_REALTIME) }

    /// The same, as it was when the kernel's clock last ticked, up to ten milliseconds ago: for what is asked with every
    /// request, since to look at the processor's counter takes ten times as long.
    static func nowAsOfLastTick() -> Int64 { milliseconds(by: CLOCK_REALTIME_COARSE) }

    private static func milliseconds(by clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The clock that is never set, since the machine was started.
    static func monotonicMicroseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    /// Raises the bound on open descriptors to what the process may have.
    ///
    /// - Returns: the bound.
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// - Throws: `CommandFailure` 65 where the file cannot be read.
    static func read(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.badInput, "\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        var content: [UInt8] = []
        while true {
            let count = withUnsafeTemporaryAllocation(byteCount: 64 * 1_024, alignment: 1) { buffer in
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count > 0 { content.append(contentsOf: buffer[..<count]) }
                return count
            }
            if count == 0 { return content }
            guard count > 0 else {
                throw CommandFailure(.badInput, "\(path) cannot be read: \(String(cString: strerror(errno))).")
            }
        }
    }

    /// What tells one state of a file from another; nil where there is none.
    static func stamp(_ path: String) -> FileStamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return FileStamp(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
    }

    /// Prints to standard output, or to standard error.
    static func print(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        write(Array(text.utf8), to: descriptor)
    }

    static func write(_ octets: [UInt8], to descriptor: Int32 = STDOUT_FILENO) {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // Whoever read it is gone: there is nobody left to tell.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
