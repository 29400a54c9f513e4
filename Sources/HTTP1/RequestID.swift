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
        guard (1...128).contains(octets.count), octets.allSatisfy(Self.isSane) else { return nil }
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

    package func append(to output: inout [UInt8]) {
        switch name {
        case .given(let octets): output.append(contentsOf: octets)
        case .made(let number):
            // In one piece: each append looks whether there is room, and whose the octets are.
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digits in
                var rest = number
                for place in digits.indices.reversed() {
                    let digit = UInt8(truncatingIfNeeded: rest) & 15
                    digits[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
                    rest >>= 4
                }
                output.append(contentsOf: digits)
            }
        }
    }
}

extension RequestID: CustomStringConvertible {
    package var description: String {
        var octets: [UInt8] = []
        append(to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }
}

extension Request {
    /// As its sender calls it in `X-Request-Id`, where that is sane; else by its number.
    package var id: RequestID { fields.firstOctets("X-Request-Id").flatMap { RequestID($0) } ?? RequestID(number) }
}
