/// What a request is called: it brings an answer, the lines of the log and a user's complaint together.
package struct RequestID: Sendable, Equatable {
    private enum Name: Equatable {
        case made(UInt64)
        case given([UInt8])
    }

    private let name: Name

    /// One of ours: sixteen hexadecimal digits.
    package init(_ number: UInt64) { name = .made(number) }

    /// What a client or a proxy calls it: 1 to 128 letters, digits and `. _ ~ : / + = @ -`, which end no line and no
    /// quotation. nil for anything else.
    package init?(_ octets: ArraySlice<UInt8>) {
        guard (1...Self.longest).contains(octets.count), octets.allSatisfy(Self.isSane) else { return nil }
        name = .given(Array(octets))
    }

    private static func isSane(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            // . / 0 to 9 :
            UInt8(ascii: ".")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
            UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// How many octets one can have.
    static let longest = 128

    func write(to output: inout OctetRoom) {
        switch name {
        case .given(let octets): output.write(octets)
        case .made(let number):
            var shift: UInt64 = 64
            while shift > 0 {
                shift -= 4
                let digit = UInt8(truncatingIfNeeded: number >> shift) & 15
                output.write(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
            }
        }
    }
}

extension RequestID: CustomStringConvertible {
    package var description: String { withOctets { String(decoding: $0, as: UTF8.self) } }

    /// Lends its octets out: each line of the log has one, and a String of it would be made for that alone.
    package func withOctets<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.longest) { buffer in
            var room = OctetRoom(buffer)
            write(to: &room)
            return body(UnsafeBufferPointer(rebasing: buffer[..<room.count]))
        }
    }
}

extension Request {
    /// As its sender calls it in `X-Request-Id`, where that is sane; else by its number.
    package var id: RequestID { fields.firstOctets("X-Request-Id").flatMap { RequestID($0) } ?? RequestID(number) }
}
