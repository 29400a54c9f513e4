internal import Glibc

/// The system calls on one socket, with `errno` read on the next line. A value: closing is up to the owner.
struct Socket: Sendable {
    let descriptor: Int32

    enum Transfer: Equatable {
        case octets(Int)
        /// The peer has ended its side.
        case end
        case wouldBlock
        case failed
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            let code = errno
            if count > 0 { return .octets(count) }
            if count == 0 { return .end }
            if code != EINTR { return code == EAGAIN ? .wouldBlock : .failed }
        }
    }

    /// MSG_NOSIGNAL: a peer that is gone is an error of this call, not a SIGPIPE.
    func send(_ buffer: UnsafeRawBufferPointer) -> Transfer {
        while true {
            let count = Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            let code = errno
            if count >= 0 { return .octets(count) }
            if code != EINTR { return code == EAGAIN ? .wouldBlock : .failed }
        }
    }

    /// The same, of two pieces one behind the other.
    func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Transfer {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { pieces in
            pieces[0] = iovec(reading: first)
            pieces[1] = iovec(reading: second)
            var message = msghdr()
            message.msg_iov = pieces.baseAddress
            message.msg_iovlen = 2
            while true {
                let count = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
                let code = errno
                if count >= 0 { return .octets(count) }
                if code != EINTR { return code == EAGAIN ? .wouldBlock : .failed }
            }
        }
    }

    /// Ends our side: the peer reads what was sent, then the end.
    func shutdownOutput() {
        _ = Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        _ = Glibc.close(descriptor)
    }

    func setOption(_ level: Int32, _ name: Int32, _ value: Int32) -> Bool {
        var value = value
        return setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }
}

extension iovec {
    /// The kernel only reads there, though the declaration knows no `const`.
    fileprivate init(reading octets: UnsafeRawBufferPointer) {
        self.init(iov_base: UnsafeMutableRawPointer(mutating: octets.baseAddress), iov_len: octets.count)
    }
}
