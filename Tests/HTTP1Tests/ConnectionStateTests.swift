import HTTP1
import Testing

private let start = Instant(nanoseconds: 1_000_000_000_000)

/// An instant, in seconds after the connection was made.
private func at(_ seconds: Double) -> Instant { start + Int64(seconds * 1e9) }

private func connection(_ change: (inout Timeouts) -> Void = { _ in }) -> ConnectionState {
    var timeouts = Timeouts()
    change(&timeouts)
    return ConnectionState(timeouts: timeouts, at: start)
}

private func expect(
    _ state: inout ConnectionState, _ now: Instant, _ expected: ConnectionState.Expiry,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let expiry = state.expire(at: now)
    #expect(expiry == expected, sourceLocation: sourceLocation)
}

struct ConnectionStateTests {
    @Test func anIdleConnectionIsClosedWithoutAWord() {
        var state = connection()
        #expect(state.deadline == at(75))
        expect(&state, at(74.9), .nothing)
        expect(&state, at(75), .close)
    }

    @Test func aHandshakeHasTheTimeOfAHeadAndThenTheConnectionIsIdle() {
        var state = ConnectionState(timeouts: Timeouts(), shakesHands: true, at: start)
        #expect(state.phase == .handshaking)
        #expect(!state.takesOctets)
        #expect(state.deadline == at(10))
        var late = state
        expect(&late, at(10), .close)
        state.handshakeCompleted(at: at(1))
        #expect(state.phase == .idle)
        #expect(state.deadline == at(76))
    }

    @Test func aDrainGivesAHandshakeItsGraceAndWhatFollowsIt() {
        var state = ConnectionState(timeouts: Timeouts(), shakesHands: true, at: start)
        state.drain(at: at(1))
        #expect(state.deadline == at(1.75))
        state.handshakeCompleted(at: at(1.5))
        #expect(state.deadline == at(2.25))
    }

    @Test func aHeadHasTenSecondsFromItsFirstOctetHoweverItDrips() {
        var state = connection()
        state.requestBegan(at: at(5))
        state.requestBegan(at: at(14))
        #expect(state.deadline == at(15))
        expect(&state, at(15), .refuse)
    }

    @Test func contentHasThirtySecondsFromTheEndOfTheHead() {
        var state = connection()
        state.requestBegan(at: at(1))
        state.headCompleted(at: at(2))
        #expect(state.deadline == at(32))
        expect(&state, at(32), .refuse)
    }

    @Test func aHandlerMayTakeItsTime() {
        var state = connection()
        state.requestCompleted()
        #expect(state.deadline == nil)
        #expect(!state.takesOctets)
        expect(&state, at(1000), .nothing)
    }

    @Test func aHandlerThatWaitsForContentIsToldWhenNoneComes() {
        var state = connection()
        state.requestCompleted()
        state.contentAwaited(at: at(5))
        state.contentAwaited(at: at(20))
        #expect(state.deadline == at(35))
        var late = state
        expect(&late, at(35), .failContent)
        state.contentCame(65536, at: at(34))
        #expect(state.deadline == nil)
        state.contentAwaited(at: at(40))
        #expect(state.deadline == at(70))
        _ = state.decidePersistence(asked: true)
        state.answerCompleted(at: at(41))
        state.contentCame(1, at: at(42))
        #expect(state.deadline == at(116), "the idle time is nobody's to end")
    }

    @Test func contentInPiecesMayFallThirtySecondsBehindItsRate() {
        var state = connection { $0.contentRate = 1000 }
        state.requestCompleted()
        state.contentAwaited(at: at(0))
        state.contentCame(2000, at: at(10))
        state.contentAwaited(at: at(100))
        #expect(state.deadline == at(122), "ten seconds used up, two of them given back")
        state.contentCame(1, at: at(121))
        state.contentAwaited(at: at(121))
        #expect(state.deadline == at(122.001), "one octet buys a thousandth")
        state.contentCame(1_000_000, at: at(122))
        state.contentAwaited(at: at(200))
        #expect(state.deadline == at(230), "nothing is saved up beyond the whole")
    }

    @Test func theNextRequestHasAllOfItsTimeForContent() {
        var state = connection()
        state.headCompleted(at: at(1))
        state.requestCompleted()
        state.contentAwaited(at: at(2))
        state.contentCame(0, at: at(30))
        _ = state.decidePersistence(asked: true)
        state.answerCompleted(at: at(31))
        state.requestBegan(at: at(32))
        state.headCompleted(at: at(33))
        state.requestCompleted()
        state.contentAwaited(at: at(34))
        #expect(state.deadline == at(64))
    }

    @Test func afterAnAnswerTheIdleTimeBeginsAgain() {
        var state = connection()
        state.requestCompleted()
        _ = state.decidePersistence(asked: true)
        state.answerCompleted(at: at(3))
        #expect(state.phase == .idle)
        #expect(state.deadline == at(78))
    }

    @Test func afterTheLastAnswerNothingMoreIsTaken() {
        var state = connection()
        state.requestCompleted()
        _ = state.decidePersistence(asked: false)
        state.answerCompleted(at: at(3))
        #expect(state.phase == .closing)
        #expect(!state.takesOctets)
        state.lingers(at: at(4))
        #expect(state.deadline == at(6))
        expect(&state, at(6), .close)
    }

    @Test func aPeerThatDoesNotReadHasThirtySecondsForTheWholeOutput() {
        var state = connection()
        state.requestCompleted()
        state.outputBlocked(at: at(1))
        state.outputBlocked(at: at(20))
        #expect(state.deadline == at(31))
        expect(&state, at(31), .close)
        state.outputDrained()
        #expect(state.deadline == nil)
    }

    @Test func drainingGivesAnIdleConnectionAGraceAndOneLastLook() {
        var state = connection()
        state.drain(at: at(10))
        #expect(state.deadline == at(10.75))
        expect(&state, at(10.75), .lastLook)
        expect(&state, at(10.75), .close)
    }

    @Test func aRequestDuringTheGraceIsAnsweredAsTheLast() {
        var state = connection()
        state.drain(at: at(10))
        state.requestBegan(at: at(10.5))
        #expect(state.deadline == at(20.5))
        state.requestCompleted()
        _ = state.decidePersistence(asked: true)
        state.answerCompleted(at: at(11))
        #expect(state.phase == .closing)
    }

    @Test func aStreamThatBeganBeforeTheDrainIsFollowedByAGraceOnly() {
        var state = connection()
        state.requestCompleted()
        _ = state.decidePersistence(asked: true)
        state.drain(at: at(10))
        state.answerCompleted(at: at(11))
        #expect(state.deadline == at(11.75))
        expect(&state, at(11.75), .lastLook)
    }

    @Test func drainingDoesNotHurryARequestInFlight() {
        var state = connection()
        state.requestCompleted()
        state.drain(at: at(10))
        #expect(state.deadline == nil)
    }
}
