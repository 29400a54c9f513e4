/// What a request is called: it brings an answer, the lines of the log and a user's complaint together.
package struct RequestID: Sendable, Equatable {
    private let number: UInt64
    /// What somebody else calls it; then the number means nothing.
    private let given: [UInt8]?

    /// One of ours: sixteen hexadecimal digits.
    package init(_ number: UInt64) {
        self.number = number
        given = nil
    }

    /// What a client or a proxy calls it: 1 to 128 letters, digits and `. _ ~ : / + = @ -`, which end no line and no
    /// quotation. nil for anything else.
    package init?(_ octets: ArraySlice<UInt8>) {
        guard (1...Self.longest).contains(octets.count), octets.allSatisfy(Self.isSane) else { return nil }
        number = 0
        given = Array(octets)
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
    package static let longest = 128

    package func write(to output: inout OctetRoom) {
        if let given { output.write(given) } else { output.write(hexadecimal: number) }
    }
}

extension RequestID: CustomStringConvertible {
    package var description: String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.longest) { buffer in
            var room = OctetRoom(buffer)
            write(to: &room)
            return String(decoding: room.octets, as: UTF8.self)
        }
    }
}

extension Request {
    /// As its sender calls it in `X-Request-Id`, where that is sane; else by its number.
    package var id: RequestID { fields.firstOctets("X-Request-Id").flatMap { RequestID($0) } ?? RequestID(number) }
}
