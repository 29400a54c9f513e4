import Foundation
import HTTP1
import Testing

struct HTTPDateTests {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
    func aMomentIsWrittenAsIMFFixdate(seconds: Int, text: String) {
        #expect(String(decoding: HTTPDate.octets(seconds), as: UTF8.self) == text)
    }

    @Test func everyDayOfFourCenturiesAgreesWithTheCalendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for day in stride(from: 0, to: 146_097, by: 13) {
            let seconds = day * 86400 + day % 86400
            let parts = calendar.dateComponents(
                [.year, .day], from: Date(timeIntervalSince1970: TimeInterval(seconds)))
            let text = String(decoding: HTTPDate.octets(seconds), as: UTF8.self).split(separator: " ")
            #expect(Int(text[1]) == parts.day)
            #expect(Int(text[3]) == parts.year)
        }
    }
}
