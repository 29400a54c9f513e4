/// The id of one function of the catalog: 1–64 of `A–Z a–z 0–9 . _ ~ -`, so equal text is equal bytes.
package struct FunctionID: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    /// Of `text`, under the process's secret. Made once: lists are searched over and over, and nearly every comparison ends
    /// with it.
    let hash: Int

    /// In octets.
    package static let longest = 64

    /// - Returns: nil where `text` is empty, too long or holds any other character.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let hash = text.withUTF8({ Self.isValid($0) ? OctetHash.of($0) : nil }) else { return nil }
        self.text = text
        self.hash = hash
    }

    /// The same, of a text's octets.
    package init?(octets: UnsafeBufferPointer<UInt8>) {
        guard Self.isValid(octets) else { return nil }
        // Of the octets that are allowed none is beyond ASCII.
        text = String(copying: UTF8Span(unchecked: octets.span, isKnownASCII: true))
        hash = OctetHash.of(octets)
    }

    package static func == (left: Self, right: Self) -> Bool { left.hash == right.hash && left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    package var description: String { text }

    private static func isValid(_ octets: UnsafeBufferPointer<UInt8>) -> Bool {
        (1...longest).contains(octets.count) && octets.allSatisfy(isAllowed)
    }

    /// RFC 3986 §2.3, unreserved: such an id stands in a path as it is.
    private static func isAllowed(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// The id of a user as the operator's other systems name them: 1–128 bytes of UTF-8 without control characters, and not `me`,
/// which stands for whoever asks.
///
/// Compared by bytes. `String`'s own `==` takes NFC and NFD spellings for one, and would hand one user another's layout.
package struct UserID: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    /// Of `text`, under the process's secret. Made once: an id is looked up several times for every request.
    private let hash: Int

    /// What it is, for whoever gave something else.
    package static let allowed = "1 to 128 bytes of UTF-8 without control characters, and not 'me'"

    /// - Returns: nil where `text` is empty, longer than 128 bytes, `me`, or holds a control character (C0, DEL or C1).
    package init?(_ text: String) {
        self.init(stored: text)
        if self == .me { return nil }
    }

    /// Of a row, and of the beginning of ids: earlier releases took `me`, too.
    package init?(stored text: String) {
        guard Self.isName(text) else { return nil }
        self.init(named: text)
    }

    /// Nobody's: see `init(stored:)`.
    package static let me = UserID(named: "me")

    private init(named text: String) {
        self.text = text
        hash = text.utf8Span.span.withUnsafeBufferPointer(OctetHash.of)
    }

    package var description: String { text }

    package static func == (left: Self, right: Self) -> Bool {
        // `String`'s own `==` is the quick way to tell most apart, and says all where there is only ASCII.
        left.hash == right.hash && left.text.utf8.count == right.text.utf8.count && left.text == right.text
            && (left.text.utf8Span.isKnownASCII || left.text.utf8.elementsEqual(right.text.utf8))
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// To spread users over shards.
    package var spread: UInt { UInt(bitPattern: hash) }

    /// Whether somebody can be called so: an administrator, who is no user, by any such name.
    package static func isName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && !holdsControl(text)
    }

    private static func holdsControl(_ text: String) -> Bool {
        // Beyond ASCII there are C1 controls, which take two octets.
        !isPlain(text.utf8Span.span) && text.unicodeScalars.contains(where: \.isControl)
    }

    /// Whether all is ASCII without controls, eight octets at a time. Of each octet less than a space the uppermost bit is set
    /// by a borrow (Hacker's Delight §6–1), of DEL by a carry, and of what is beyond ASCII it stands there.
    private static func isPlain(_ octets: Span<UInt8>) -> Bool {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        var index = 0
        while octets.count - index >= 8 {
            let word = octets.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            guard ((word &- ones &* 0x20) | (word &+ ones) | word) & tops == 0 else { return false }
            index += 8
        }
        while index < octets.count {
            guard octets[index] >= 0x20, octets[index] < 0x7F else { return false }
            index += 1
        }
        return true
    }
}

extension Unicode.Scalar {
    /// C0, DEL or C1.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}

/// Counts the changes of one layout. 0 is the layout of a user who was never stored.
package typealias Version = Int64

/// Milliseconds since 1970-01-01T00:00:00Z.
package typealias Timestamp = Int64
