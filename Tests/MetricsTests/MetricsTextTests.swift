import Testing

@testable import Metrics

@Suite struct MetricsTextTests {
    private func text(_ body: (inout MetricsText) -> Void) -> String {
        var text = MetricsText()
        body(&text)
        return String(decoding: text.octets, as: UTF8.self)
    }

    @Test func aCounterSaysWhatItIs() {
        #expect(
            text { $0.counter("a_total", "What is counted.", 7) } == """
                # HELP a_total What is counted.
                # TYPE a_total counter
                a_total 7

                """)
    }

    @Test func bucketsAddUpAndEndWithAll() {
        let table = HistogramTable(Buckets([500, 10_000], scale: 1_000))
        for value in [1, 500, 501, 20_000] { table.observe(value) }
        #expect(
            text { $0.histogram("t_seconds", "Time.", table) } == """
                # HELP t_seconds Time.
                # TYPE t_seconds histogram
                t_seconds_bucket{le="0.5"} 2
                t_seconds_bucket{le="10"} 3
                t_seconds_bucket{le="+Inf"} 4
                t_seconds_sum 21.002
                t_seconds_count 4

                """)
    }

    @Test func anEmptyHistogramIsThere() {
        let text = text { $0.histogram("t", "Time.", HistogramTable(Buckets([1]))) }
        #expect(text.hasSuffix("t_bucket{le=\"1\"} 0\nt_bucket{le=\"+Inf\"} 0\nt_sum 0\nt_count 0\n"))
    }

    @Test(arguments: [("plain", "plain"), (#"a"b\c"#, #"a\"b\\c"#), ("a\nb\r\nc", #"a\nb\nc"#)])
    func aLabelCannotEndItsLine(value: String, written: String) {
        let text = text { text in
            text.family("m", .gauge, "It.") { $0.sample(["label": value], 1) }
        }
        #expect(text.hasSuffix("m{label=\"\(written)\"} 1\n"))
    }
}
