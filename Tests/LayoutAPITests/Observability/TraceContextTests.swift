import HTTP1
import Testing

@testable import LayoutAPI

private let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
private let parent = "00f067aa0ba902b7"

/// W3C Trace Context, §3.2.2 and §4.3.
@Suite struct TraceContextTests {
    private func context(_ values: String...) throws -> TraceContext? {
        var fields = Fields()
        for value in values { fields.append(name: "traceparent", value: value) }
        var request = try Request(.get, "/", fields: fields)
        request.number = 7
        return TraceContext(of: request)
    }

    @Test(arguments: [
        "00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-00", "00-\(trace)-\(parent)-ff", "01-\(trace)-\(parent)-01",
        "cc-\(trace)-\(parent)-01-what-the-future-will-be-like", "fe-\(trace)-\(parent)-01-",
    ])
    func aTraceIsGoneOnWith(value: String) throws {
        let context = try #require(try context(value))
        #expect(context.traceID == trace)
        #expect(context.parentID == parent)
    }

    @Test(arguments: [
        "ff-\(trace)-\(parent)-01",  // a version that is forbidden
        "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
        "00-\(trace)-\(parent)-01-more", "00-\(trace)-\(parent)-01.", "cc-\(trace)-\(parent)-01.more",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-\(parent)-01", "00-\(trace)-\(parent)-0", "00-\(trace)-\(parent)",
        "0-\(trace)-\(parent)-01", "00_\(trace)-\(parent)-01", "00-\(trace)g-\(parent)-01", "", "-", "hello",
        "0g-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-0g",
    ])
    func whatIsNotValidBeginsATraceAnew(value: String) throws {
        let context = try #require(try context(value))
        #expect(context.traceID == "fffffffffffffff80000000000000007")
        #expect(context.parentID == nil)
    }

    @Test func twoAreNoneToBeBelieved() throws {
        let value = "00-\(trace)-\(parent)-01"
        #expect(try context(value, value)?.parentID == nil)
        #expect(try context(value, value)?.traceID != trace)
    }

    @Test func withoutOneThereIsNoTrace() throws {
        #expect(try context() == nil)
    }
}
