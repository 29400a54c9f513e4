import HTTP1
package import LayoutModel

extension JSONWriter {
    /// RFC 3339, UTC, with milliseconds: `2026-11-30T08:15:30.250Z`.
    package mutating func timestamp(_ time: Timestamp) {
        withRFC3339(time) { string($0) }
    }
}

package func rfc3339(_ time: Timestamp) -> String {
    withRFC3339(time) { String(decoding: $0, as: UTF8.self) }
}

private func withRFC3339<Result>(_ time: Timestamp, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let (day, milliseconds) = floorDivide(time, 86_400_000)
    let date = civilDate(daysSinceEpoch: day)
    let second = UInt64(milliseconds / 1_000)
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { buffer in
        var room = OctetRoom(buffer)
        // Of a year that RFC 3339 does not know, the last digits: there is none in a database that passed its checks.
        room.write(date.year.magnitude, digits: 4)
        room.write("-")
        room.write(date.month.magnitude, digits: 2)
        room.write("-")
        room.write(date.day.magnitude, digits: 2)
        room.write("T")
        room.write(second / 3_600, digits: 2)
        room.write(":")
        room.write(second / 60 % 60, digits: 2)
        room.write(":")
        room.write(second % 60, digits: 2)
        room.write(".")
        room.write(milliseconds.magnitude % 1_000, digits: 3)
        room.write("Z")
        return body(UnsafeBufferPointer(buffer))
    }
}

/// By counting days in eras of 400 years that begin on 1 March, so that the leap day comes last.
private func civilDate(daysSinceEpoch day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(day + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
}

private func floorDivide(_ dividend: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}
