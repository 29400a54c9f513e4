/// A moment in the form of the `Date` field: `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110 §5.6.7).
package enum HTTPDate {
    private static let weekdays: StaticString = "ThuFriSatSunMonTueWed"
    private static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"

    /// - Parameter seconds: since 1970-01-01 00:00 UTC, leap seconds not counted; not before it, and not after 9999.
    package static func octets(_ seconds: Int) -> [UInt8] {
        let (days, second) = seconds.quotientAndRemainder(dividingBy: 86400)
        let date = civil(daysSinceEpoch: days)
        var text: [UInt8] = []
        text.reserveCapacity(29)
        // The first day of the epoch was a Thursday.
        append(weekdays, days % 7, to: &text)
        text.append(", ")
        append(date.day, to: &text)
        text.append(" ")
        append(months, date.month - 1, to: &text)
        text.append(" ")
        append(date.year / 100, to: &text)
        append(date.year % 100, to: &text)
        text.append(" ")
        append(second / 3600, to: &text)
        text.append(":")
        append(second / 60 % 60, to: &text)
        text.append(":")
        append(second % 60, to: &text)
        text.append(" GMT")
        return text
    }

    /// Howard Hinnant's `civil_from_days`: years begin in March, so that the leap day is a year's last, and 400 of them
    /// make an era of 146,097 days.
    private static func civil(daysSinceEpoch days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
            month: month,
            day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    private static func append(_ names: StaticString, _ index: Int, to text: inout [UInt8]) {
        names.withUTF8Buffer { text.append(contentsOf: $0[index * 3..<index * 3 + 3]) }
    }

    private static func append(_ twoDigits: Int, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "0") + UInt8(twoDigits / 10))
        text.append(UInt8(ascii: "0") + UInt8(twoDigits % 10))
    }
}
