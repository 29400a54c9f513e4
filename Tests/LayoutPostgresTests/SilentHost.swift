#if PostgreSQL
    import Glibc

    /// A port where connections are taken and nothing is ever said.
    final class SilentHost {
        let port: UInt16
        private let descriptor: Int32

        struct Failure: Error { let errno: Int32 }

        init() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            descriptor = listener
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(listener, address, length) | listen(listener, 8)
                        | getsockname(listener, address, &length)
                }
            }
            port = UInt16(bigEndian: address.sin_port)
            guard result == 0 else { throw Failure(errno: errno) }
        }

        deinit { close(descriptor) }
    }
#endif
