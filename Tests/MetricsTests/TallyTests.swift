import Testing

@testable import Metrics

@Suite struct TallyTests {
    @Test func nothingIsLostBetweenTasks() async {
        let tally = Tally()
        let labelled = LabelledTally()
        let table = HistogramTable(Buckets([1, 10]), series: 3)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<1_000 {
                        tally.add()
                        labelled.add("label \(step % 2)")
                        table.observe(task, in: 1)
                    }
                }
            }
        }
        #expect(tally.value == 8_000)
        #expect(labelled.totals.map(\.label) == ["label 0", "label 1"])
        #expect(labelled.totals.map(\.count) == [4_000, 4_000])
        // 0 and 1 are in the first bucket, 2 to 7 in the second.
        #expect(table.total(of: 1) == HistogramTotal(counts: [2_000, 6_000, 0], sum: 28_000))
    }

    @Test func whatGoesUpComesDown() {
        let tally = Tally()
        tally.add(3)
        tally.add(-2)
        #expect(tally.value == 1)
    }
}

@Suite struct HistogramTests {
    @Test(arguments: [(0, 0), (1, 0), (2, 1), (10, 1), (11, 2), (.max, 2)])
    func aBoundBelongsToItsBucket(value: Int, bucket: Int) {
        #expect(Buckets([1, 10]).index(of: value) == bucket)
    }

    @Test func whatWasNeverObservedIsNotThere() {
        let table = HistogramTable(.sizes, series: 2)
        table.observe(3, in: 1)
        #expect(table.total(of: 0) == nil)
        #expect(table.total(of: 1)?.sum == 3)
    }
}
