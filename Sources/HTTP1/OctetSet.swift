/// A set of ASCII octets as two words: one shift and one mask say whether an octet belongs to it. `OctetSetTests` hold
/// the numbers to the characters that the RFCs list.
package struct OctetSet: Sendable {
    package let low: UInt64
    package let high: UInt64

    @inline(__always)
    package func contains(_ octet: UInt8) -> Bool {
        if octet >= 128 { return false }
        let word = octet < 64 ? low : high
        return (word >> UInt64(octet & 63)) & 1 != 0
    }

    /// `tchar` (RFC 9110 §5.6.2).
    @inline(__always) package static var token: Self { Self(low: 0x03ff_6cfa_0000_0000, high: 0x57ff_ffff_c7ff_fffe) }
    /// What a path may hold, but for `%`: `pchar` and `/` (RFC 3986 §3.3).
    @inline(__always) package static var path: Self { Self(low: 0x2fff_ffd2_0000_0000, high: 0x47ff_fffe_87ff_ffff) }
    /// What a query may hold, but for `%`: `pchar`, `/` and `?` (RFC 3986 §3.4).
    @inline(__always) package static var query: Self { Self(low: 0xafff_ffd2_0000_0000, high: 0x47ff_fffe_87ff_ffff) }
    /// What any form of target may hold: as a query, and the brackets of an IPv6 address.
    @inline(__always) package static var target: Self { Self(low: 0xafff_fff2_0000_0000, high: 0x47ff_fffe_afff_ffff) }
    /// What an IPv6 address is written with (RFC 3986 §3.2.2).
    @inline(__always) package static var address: Self { Self(low: 0x07ff_4000_0000_0000, high: 0x0000_007e_0000_007e) }
    /// `reg-name` (RFC 3986 §3.2.2), `%` included.
    @inline(__always) package static var registeredName: Self {
        Self(low: 0x2bff_7ff2_0000_0000, high: 0x47ff_fffe_87ff_fffe)
    }
}

extension UInt8 {
    static let cr = UInt8(ascii: "\r")
    static let lf = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")

    /// `OWS` (RFC 9110 §5.6.3).
    @inline(__always) var isBlank: Bool { self == .space || self == .tab }

    @inline(__always) var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    /// `field-vchar`, `SP` and `HTAB` (RFC 9110 §5.5): everything but the other controls.
    @inline(__always) var isFieldContent: Bool { (self >= 0x20 && self != 0x7f) || self == .tab }

    /// The letter in lower case; every other octet as it is.
    @inline(__always) var lowercased: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }

    /// 0…15, or nil when this is no hexadecimal digit.
    @inline(__always) var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
