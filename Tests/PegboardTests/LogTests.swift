import Glibc
import HTTP1
import LayoutAPI
import Testing

@testable import pegboard

@Suite struct LogTests {
    /// What `write` has a log write, read back through a pipe.
    private func lines(_ format: Log.Format, _ write: (Log) -> Void) -> [String] {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let log = Log(.debug, format, to: ends[1], clock: { 1_796_025_615_250 })
        write(log)
        log.flush()
        close(ends[1])
        defer { close(ends[0]) }
        var octets = [UInt8](repeating: 0, count: 1 << 16)
        var count = 0
        while case let more = read(ends[0], &octets[count], octets.count - count), more > 0 { count += more }
        return String(decoding: octets[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func aLineHasTimeLevelMessageAndFields() {
        let write = { (log: Log) in log.warning("too late", ["user": "a\"b", "left": .number(-3), "nothing": ""]) }
        #expect(
            lines(.json, write) == [
                #"{"time":"2026-11-30T08:00:15.250Z","level":"warning","message":"too late","user":"a\"b","left":-3}"#
            ])
        #expect(lines(.text, write) == [#"08:00:15.250 warning too late user=a"b left=-3"#])
    }

    /// Within a second, over its end, and set back: the words of the last line must not stay.
    @Test func everyLineHasTheTimeOfItsOwn() {
        var stamp = LogStamp()
        let second: Int64 = 1_796_025_615_000
        for time in [second, second + 7, second + 999, second + 1_000, second + 65, second - 1, 0, 999, -1_000, -1, 5] {
            stamp.set(time)
            for format in [Log.Format.json, .text] {
                var octets: [UInt8] = []
                octets.append(atMost: LogStamp.longest) { stamp.write(format, to: &$0) }
                let text =
                    format == .json ? #"{"time":"\#(rfc3339(time))""# : String(rfc3339(time).dropFirst(11).dropLast())
                #expect(String(decoding: octets, as: UTF8.self) == text)
            }
        }
    }

    /// Room is measured before a line is written: what takes the most has to fit.
    @Test(arguments: [Log.Format.json, .text])
    func whateverAFieldHoldsItsLineIsOne(format: Log.Format) throws {
        for hostile in ["\u{1}", "\n", "\u{7F}", "\u{9F}", "\"", "\\", "字"] {
            let text = String(repeating: hostile, count: 300)
            let lines = lines(format) {
                $0.info("event", ["one": .text(text), "number": .number(.min), "two": .text(text)])
            }
            #expect(lines.count == 1)
            let isWhole = lines[0].contains("-9223372036854775808")
            #expect(isWhole)
        }
    }
}
