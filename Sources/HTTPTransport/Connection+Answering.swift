internal import HTTP1

extension Connection {
    /// Hands the request over, and takes the answer or starts to wait for it.
    func answer() {
        requestArrived()
        let loop = loop
        give(withRequest { loop.handler.answer($0) })
    }

    /// Hands the head over; the content comes while the handler is at work.
    func answer(by handler: (Request, any ContentReader) -> Answer) {
        requestArrived()
        let intake = Intake(of: self)
        self.intake = intake
        give(withRequest { handler($0, intake) })
    }

    private func requestArrived() {
        state.requestCompleted()
        answersLeft -= 1
        request.received = loop.now
        request.peer = peer
        request.number = loop.countRequest()
        request.queued = loop.now.nanoseconds - loop.roundBegan.nanoseconds
    }

    private func give(_ answer: consuming Answer) {
        switch answer {
        case .now(let response): respond(response)
        case .later(let work): begin { [self] in finish(await work()) }
        case .promised(let begin): begin(Reply { [self] make in loop.put(.answer(self, make)) })
        }
    }

    /// Lends the request out as a variable of its own: as a property it would be copied, and each of its parts counted.
    private func withRequest(_ body: (Request) -> Answer) -> Answer {
        var lent = Request()
        swap(&lent, &request)
        defer { swap(&lent, &request) }
        return body(lent)
    }

    /// Starts a task on this loop. It runs at once until it has to wait, and its continuations come back here.
    private func begin(_ work: @escaping @Sendable () async -> Void) {
        taskNumber += 1
        let number = taskNumber
        let started = Task.immediate(executorPreference: loop, operation: work)
        // It may have ended by now, and even have begun the task of a stream.
        if number == taskNumber, state.phase == .answering { task = started }
    }

    func finish(_ response: Response) {
        task = nil
        guard !isClosed else { return }
        if isAdvancing {
            respond(response)
        } else {
            advance(with: response)
        }
    }

    func respond(_ response: Response) {
        let asked = parser.control.persists && !response.closesConnection && !leavesContent(response)
        let persists = state.decidePersistence(asked: asked)
        let context = ResponseEncoder.Context(method: request.method, version: request.version, persists: persists)
        let framing = loop.encoder.append(response, for: context, copying: mostCopied, to: &output)
        if let whenSent = response.whenSent { tell(whenSent) }
        if framing == .whole { return answerCompleted() }
        switch response.content {
        case .stream(let body): stream(body, framing)
        case .bytes(let content):
            send(content)
            answerCompleted()
        case .none: answerCompleted()
        }
    }

    /// Whether this whole answer comes before the content, which nobody will read then. A stream may still read it.
    private func leavesContent(_ response: borrowing Response) -> Bool {
        guard let intake, !intake.isWhole else { return false }
        if case .stream = response.content { return false }
        return true
    }

    private func answerCompleted() {
        guard let intake else { return state.answerCompleted(at: loop.now) }
        self.intake = nil
        if intake.isWhole { return state.answerCompleted(at: loop.now) }
        // Where the next request would begin nobody knows without reading all that is left of this one.
        intake.end(.failure(StreamError.peerGone))
        state.lastAnswerGiven()
    }

    private func stream(
        _ body: @escaping @Sendable (any ContentWriter) async throws -> Void, _ framing: ResponseEncoder.Framing
    ) {
        if framing == .untilClose { _ = state.decidePersistence(asked: false) }
        streaming = framing
        begin { [self] in
            do {
                try await body(StreamWriter(connection: self))
                endStream()
            } catch {
                // The peer must not take a part for the whole: no last chunk, just the end of the connection.
                close()
            }
        }
        if loop.isDraining { task?.cancel() }
    }

    private func endStream() {
        task = nil
        guard !isClosed, let framing = streaming else { return }
        ResponseEncoder.appendEnd(framing: framing, to: &output)
        streaming = nil
        answerCompleted()
        advance()
    }
}
