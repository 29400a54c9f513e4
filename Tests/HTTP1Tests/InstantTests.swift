import HTTP1
import Testing

@Suite struct InstantTests {
    @Test func whatLiesBeyondAllTimeIsItsEnd() {
        #expect((Instant(nanoseconds: 5) + 7).nanoseconds == 12)
        #expect((Instant(nanoseconds: 5) + -7).nanoseconds == -2)
        #expect((Instant(nanoseconds: 5) + .max).nanoseconds == .max)
    }

    @Test(
        arguments: [
            (Duration.seconds(2), 2_000_000_000), (.milliseconds(-3), -3_000_000), (.seconds(20), 20_000_000_000),
            (.seconds(9_223_372_036) + .milliseconds(854), 9_223_372_036_854_000_000),
            (.seconds(9_223_372_036) + .milliseconds(855), .max), (.seconds(Int64.max), .max),
        ] as [(Duration, Int64)])
    func aDurationInNanoseconds(duration: Duration, nanoseconds: Int64) {
        #expect(duration.nanoseconds == nanoseconds)
    }
}
