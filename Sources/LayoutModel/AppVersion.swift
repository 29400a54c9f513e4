/// The version of a client's app, compared number by number: 10.10 is newer than 10.9, and 10 equals 10.0.
package struct AppVersion: Comparable, Sendable {
    package let numbers: [UInt32]

    /// - Parameter text: 1–6 numbers of 1–9 digits with dots between them: `10.3.1`.
    /// - Returns: nil for anything else.
    package init?(_ text: some StringProtocol) {
        var numbers: [UInt32] = []
        var (number, digits): (UInt32, Int) = (0, 0)
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard digits < 9 else { return nil }
                number = number * 10 + UInt32(octet - UInt8(ascii: "0"))
                digits += 1
            case UInt8(ascii: "."):
                guard digits > 0, numbers.count < 5 else { return nil }
                numbers.append(number)
                (number, digits) = (0, 0)
            default: return nil
            }
        }
        guard digits > 0 else { return nil }
        self.numbers = numbers + [number]
    }

    package var text: String { numbers.map(String.init).joined(separator: ".") }

    package static func < (left: Self, right: Self) -> Bool {
        for index in 0..<max(left.numbers.count, right.numbers.count) where left.number(index) != right.number(index) {
            return left.number(index) < right.number(index)
        }
        return false
    }

    package static func == (left: Self, right: Self) -> Bool { !(left < right) && !(right < left) }

    private func number(_ index: Int) -> UInt32 { index < numbers.count ? numbers[index] : 0 }
}
