import HTTP1
import LayoutAPI

/// The time that a line begins with. It is put into words once a second: in between the milliseconds alone are others.
struct LogStamp {
    private var second = Int64.min
    /// As `2026-11-30T08:15:30.250Z`.
    private var text: [UInt8] = []

    /// What it takes at most, in either format.
    static let longest = 40

    /// - Parameter time: milliseconds since 1970.
    mutating func set(_ time: Int64) {
        let milliseconds = (time % 1_000 + 1_000) % 1_000
        let second = (time - milliseconds) / 1_000
        guard second == self.second else {
            text = Array(rfc3339(time).utf8)
            self.second = second
            return
        }
        let digits = UInt64(milliseconds)
        text[20] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digits / 100)
        text[21] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digits / 10 % 10)
        text[22] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digits % 10)
    }

    func write(_ format: Log.Format, to room: inout OctetRoom) {
        text.withUnsafeBufferPointer { text in
            // On a terminal the time of the day.
            guard format == .json else { return room.write(UnsafeBufferPointer(rebasing: text[11..<23])) }
            room.write("{\"time\":\"")
            room.write(text)
            room.write("\"")
        }
    }
}
