import HTTP1
import Testing

struct RequestIDTests {
    @Test(arguments: ["a", "7f3c-22", "A.b_c~d:e/f+g=h@i", String(repeating: "x", count: 128)])
    func whatIsSaneIsTakenOver(text: String) throws {
        var fields = Fields()
        fields.append(name: "x-request-id", value: text)
        #expect(try Request(.get, "/", fields: fields).id.description == text)
    }

    @Test(arguments: [
        "", "a b", "a\"b", "a,b", "a\\b", "a{b}", "a\u{7f}b", "é", "a\tb", "<a>", "a'b",
        String(repeating: "x", count: 129),
    ])
    func whatIsNotIsReplaced(text: String) throws {
        var fields = Fields()
        fields.append(name: "X-Request-Id", value: text)
        var request = try Request(.get, "/", fields: fields)
        request.number = 0x0123_4567_89ab_cdef
        #expect(request.id.description == "0123456789abcdef")
    }

    @Test func theAnswerSaysWhichRequestItBelongsTo() {
        var response = Response(.notModified)
        response.requestID = RequestID(255)
        var output: [UInt8] = []
        _ = ResponseEncoder().append(response, for: .init(persists: true), to: &output)
        #expect(String(decoding: output, as: UTF8.self).hasSuffix("\r\nX-Request-Id: 00000000000000ff\r\n\r\n"))
    }
}

struct DurationTests {
    private static let cases: [(Duration, Int64)] = [
        (.nanoseconds(1), 1), (.nanoseconds(-1), -1), (.seconds(9), 9_000_000_000), (.seconds(10), 10_000_000_000),
        (.seconds(-10), -10_000_000_000), (.zero, 0), (.nanoseconds(2) - Duration.microseconds(0.0005), 1),
        (.seconds(9_000_000_000), 9_000_000_000_000_000_000), (.seconds(Int64.max), .max),
    ]

    @Test(arguments: cases)
    func wholeNanoseconds(duration: Duration, nanoseconds: Int64) {
        #expect(duration.nanoseconds == nanoseconds)
    }
}
