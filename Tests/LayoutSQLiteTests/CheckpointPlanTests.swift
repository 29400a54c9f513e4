import LayoutSQLite
import Testing

@Suite struct CheckpointPlanTests {
    @Test func itIsDueAtTheBound() {
        var plan = CheckpointPlan(bound: 100)
        #expect([1, 50, 99, 100].map { plan.isDue(at: $0) } == [false, false, false, true])
    }

    /// A reader holds the log: each commit makes it longer, but not each is worth a checkpoint.
    @Test func whileTheLogGrowsItIsDueAgainAfterATenth() {
        var plan = CheckpointPlan(bound: 100)
        #expect([100, 101, 109, 110, 119, 120].map { plan.isDue(at: $0) } == [true, false, false, true, false, true])
    }

    @Test func afterTheLogBeganAnewTheBoundCountsAgain() {
        var plan = CheckpointPlan(bound: 100)
        #expect([150, 5, 99, 100].map { plan.isDue(at: $0) } == [true, false, false, true])
    }
}
