import Glibc
import Locking

/// Tells the service manager how the program is: systemd's protocol of `sd_notify(3)`, a datagram to the socket that
/// `NOTIFY_SOCKET` names. Documented as stable, and too small for libsystemd, which cannot be linked statically.
final class ServiceManager: Sendable {
    private let name: [UInt8]
    private let isReady = Mutex(false)
    /// How long it waits for a sign of life before it takes the program for stuck; nil where it waits for none.
    let watchdog: Duration?

    /// - Returns: nil where nobody waits for news.
    init?(_ environment: [String: String], process: Int32 = getpid()) {
        guard let socket = environment["NOTIFY_SOCKET"].map({ Array($0.utf8) }), socket.count < Self.longestName,
            let first = socket.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
        else { return nil }
        // unix(7): an abstract name begins with a zero octet, which systemd writes as @.
        name = first == UInt8(ascii: "@") ? [0] + socket.dropFirst() : socket
        // sd_watchdog_enabled(3): meant for another process where WATCHDOG_PID is not ours.
        let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
        watchdog = isForUs && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    enum News: Sendable { case ready, reloading, reloaded, stopping, alive }

    func tell(_ news: News) {
        switch news {
        case .ready:
            isReady.withLock { $0 = true }
            send("READY=1\nSTATUS=Serving")
        // A reload while it is still starting is nobody's business: what it says last would be taken for the start's end.
        case .reloading where isReady.withLock({ $0 }):
            send("RELOADING=1\nMONOTONIC_USEC=\(Machine.monotonicMicroseconds())")
        case .reloaded where isReady.withLock({ $0 }): send("READY=1\nSTATUS=Serving")
        case .reloading, .reloaded: break
        case .stopping:
            isReady.withLock { $0 = false }
            send("STOPPING=1\nSTATUS=Finishing what is under way")
        case .alive: send("WATCHDOG=1")
        }
    }

    /// A manager that cannot be told is no reason to stop serving.
    private func send(_ text: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        // The length says where an abstract name ends.
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.count)
        let octets = Array(text.utf8)
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(descriptor, octets, octets.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }

    private static let longestName = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
}
