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
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { buffer in
        var room = OctetRoom(buffer)
        room.writeRFC3339(time)
        return body(room.octets)
    }
}

extension OctetRoom {
    /// 24 octets.
    mutating func writeRFC3339(_ time: Timestamp) {
        let (day, milliseconds) = floorDivide(time, 86_400_000)
        let date = civilDate(daysSinceEpoch: day)
        let second = UInt64(milliseconds / 1_000)
        // Of a year that RFC 3339 does not know, the last digits: there is none in a database that passed its checks.
        write(twoDigits: date.year.magnitude / 100 % 100)
        write(twoDigits: date.year.magnitude % 100)
        write("-")
        write(twoDigits: date.month.magnitude)
        write("-")
        write(twoDigits: date.day.magnitude)
        write("T")
        write(twoDigits: second / 3_600)
        write(":")
        write(twoDigits: second / 60 % 60)
        write(":")
        write(twoDigits: second % 60)
        write(".")
        write(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: milliseconds.magnitude % 1_000 / 100))
        write(twoDigits: milliseconds.magnitude % 100)
        write("Z")
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

/// The reverse: of the form above, and of no other.
///
/// - Returns: nil where it is another, or no date has it.
func timestamp(rfc3339 text: String) -> Timestamp? {
    let octets = Array(text.utf8)
    guard octets.count == 24 else { return nil }
    func number(_ range: Range<Int>) -> Int64? { Int64(String(decoding: octets[range], as: UTF8.self)) }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
        let minute = number(14..<16), let second = number(17..<19), let millisecond = number(20..<23)
    else { return nil }
    let yearFromMarch = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = floorDivide(yearFromMarch, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    let time = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000 + millisecond
    // 30 February, 25 o'clock or a sign among the digits would come back as something else.
    return rfc3339(time) == text ? time : nil
}

private func floorDivide(_ dividend: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}
