package import LayoutModel

extension JSONWriter {
    /// RFC 3339, UTC, with milliseconds: `2026-11-30T08:15:30.250Z`.
    mutating func timestamp(_ time: Timestamp) { string(rfc3339(time)) }
}

/// The civil date by counting days in eras of 400 years that begin on 1 March, so that the leap day comes last.
package func rfc3339(_ time: Timestamp) -> String {
    let (day, milliseconds) = floorDivide(time, 86_400_000)
    let (era, dayOfEra) = floorDivide(day + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfYear - (153 * shifted + 2) / 5 + 1, 2))"
    let seconds = milliseconds / 1_000
    let clock = "\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
    return "\(date)T\(clock).\(padded(milliseconds % 1_000, 3))Z"
}

private func floorDivide(_ dividend: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}

private func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
