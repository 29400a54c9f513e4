import HTTP1
import Testing

struct LimitsTests {
    @Test func aTargetOfTheLimitIsTakenAndOneLongerRefused() {
        var limits = Limits()
        limits.target = 10
        #expect(Reading("GET /123456789 HTTP/1.0\r\n\r\n", limits: limits).messages.count == 1)
        #expect(Reading("GET /1234567890", limits: limits).error?.status == .uriTooLong)
    }

    @Test func aHeadIsRefusedWhenItReachesTheLimitUnfinished() {
        var limits = Limits()
        limits.head = 40
        let head = "GET / HTTP/1.0\r\nX: "
        #expect(Reading(head + String(repeating: "x", count: 17) + "\r\n\r\n", limits: limits).messages.count == 1)
        #expect(Reading(head + String(repeating: "x", count: 21), limits: limits).error?.status == .fieldsTooLarge)
        #expect(Reading(head + String(repeating: "x", count: 20), limits: limits).error == nil)
    }

    @Test func tooManyLinesAreRefused() {
        let lines = { String(repeating: "X: 1\r\n", count: $0) }
        #expect(Reading("GET / HTTP/1.0\r\n" + lines(100) + "\r\n").messages.count == 1)
        let error = Reading("GET / HTTP/1.0\r\n" + lines(101)).error
        #expect(error?.status == .fieldsTooLarge)
        #expect(error?.limit == 100)
    }

    @Test func chunkedContentIsRefusedByTheSizeThatExceedsTheLimit() {
        var limits = Limits()
        limits.content = 4
        let head = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
        #expect(Reading(head + "1\r\nd\r\n0\r\n\r\n", limits: limits).messages.count == 1)
        let error = Reading(head + "2\r", limits: limits).error
        #expect(error?.status == .contentTooLarge)
        #expect(error?.limit == 4)
    }

    @Test func extensionsAndSuperfluousZerosShareOneAllowance() {
        var limits = Limits()
        limits.chunkExtensions = 8
        let head = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(Reading(head + "0001;abcd\r\na\r\n", limits: limits).error == nil)
        #expect(Reading(head + "0001;abcd\r\na\r\n001;a", limits: limits).error?.status == .badRequest)
    }

    @Test func trailersHaveALimitOfTheirOwn() {
        var limits = Limits()
        limits.trailers = 10
        let head = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        #expect(Reading(head + "X: 12\r\n\r\n", limits: limits).messages.count == 1)
        #expect(Reading(head + "X: 1234\r\n\r\n", limits: limits).error?.status == .fieldsTooLarge)
    }
}
