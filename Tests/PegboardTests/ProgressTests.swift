import Testing

@testable import pegboard

@Suite struct ProgressTests {
    @Test(arguments: [
        (0, 200, "copying [                    ] 0% 0 B of 200 B"),
        (50, 200, "copying [#####               ] 25% 50 B of 200 B, 10 B/s, 15 s left"),
        (199, 200, "copying [################### ] 99% 199 B of 200 B, 39 B/s, 1 s left"),
        (200, 200, "copying [####################] 100% 200 B of 200 B, 40 B/s, 0 s left"),
        (300, 200, "copying [####################] 100% 200 B of 200 B, 60 B/s, 0 s left"),
    ])
    func aBarSaysHowMuchIsDoneHowFastAndHowLongItTakes(done: Int, total: Int, line: String) {
        let progress = Progress(step: "copying", done: done, total: total, unit: .bytes)
        #expect(progress.line(after: .seconds(5)) == line)
    }

    @Test func whereTheTotalIsNotKnownTheRateIs() {
        #expect(Progress(step: "checking pages", done: 0).line(after: .seconds(5)) == "checking pages …")
        #expect(Progress(step: "exporting", done: 10_000).line(after: .seconds(5)) == "exporting 10000, 2000/s")
        #expect(Progress(step: "exporting", done: 10_000).line(after: .zero) == "exporting 10000")
    }

    @Test(arguments: [
        (0.0, "0 B"), (1_023.0, "1023 B"), (1_024.0, "1.0 KiB"), (1_536.0, "1.5 KiB"), (5_767_168.0, "5.5 MiB"),
        (3_221_225_472.0, "3.0 GiB"), (2_199_023_255_552.0, "2.0 TiB"),
    ])
    func octetsAreSaidInTheLargestUnit(number: Double, text: String) {
        #expect(Progress.bytes(number) == text)
    }
}
