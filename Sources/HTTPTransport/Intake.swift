internal import HTTP1

/// The content of one request on its way to a handler that takes it in pieces.
///
/// It holds nothing: a piece goes from the parser to the handler that waits for it, and while none waits, nothing is parsed
/// and nothing read.
final class Intake: ContentReader {
    private let connection: Connection
    private var waiter: CheckedContinuation<[UInt8]?, any Error>?
    private var ending: Result<Void, any Error>?
    /// Whether the peer was told to go on.
    var isInvited = false

    init(of connection: Connection) { self.connection = connection }

    var isAwaited: Bool { waiter != nil }

    /// Whether all of the content has come.
    var isWhole: Bool { if case .success = ending { true } else { false } }

    func read() async throws -> [UInt8]? {
        guard connection.loop.isCurrent else {
            // The handler has gone to another executor; the connection has not.
            return try await withTaskExecutorPreference(connection.loop) { try await next() }
        }
        return try await next()
    }

    private func next() async throws -> [UInt8]? {
        if let ending {
            try ending.get()
            return nil
        }
        return try await withCheckedThrowingContinuation { continuation in
            waiter = continuation
            connection.wantContent()
        }
    }

    func give(_ piece: [UInt8]) {
        let waiter = waiter
        self.waiter = nil
        waiter?.resume(returning: piece)
    }

    /// The first ending counts.
    func end(_ ending: Result<Void, any Error>) {
        guard self.ending == nil else { return }
        self.ending = ending
        let waiter = waiter
        self.waiter = nil
        switch ending {
        case .success: waiter?.resume(returning: nil)
        case .failure(let error): waiter?.resume(throwing: error)
        }
    }
}

// @unchecked: touched on the loop's thread alone, as its connection.
extension Intake: @unchecked Sendable {}

extension Connection {
    /// The handler waits for the next piece.
    func wantContent() {
        state.contentAwaited(at: loop.now)
        if isAdvancing { loop.revisit(later: self) } else { advance() }
    }

    /// Parses as long as the handler waits for content, and reads where there is nothing to parse.
    func takeContent(_ reads: inout Int) {
        while let intake, intake.isAwaited, !isClosed {
            do throws(ProtocolError) {
                let event = try parse()
                let piece = request.takeContent()
                if !piece.isEmpty || event == .complete { state.contentCame(piece.count, at: loop.now) }
                if !piece.isEmpty { intake.give(piece) }
                if event == .complete { intake.end(.success(())) }
                if piece.isEmpty, event != .complete {
                    guard try receiveContent(&reads) else { return }
                }
            } catch {
                intake.end(.failure(error))
            }
        }
    }

    /// - Returns: whether there may be more to parse.
    private func receiveContent(_ reads: inout Int) throws(ProtocolError) -> Bool {
        if state.hasPeerEnded { throw .incomplete }
        guard isReadable else {
            inviteContent()
            return false
        }
        guard reads > 0 else {
            loop.revisit(later: self)
            return false
        }
        reads -= 1
        receive()
        return true
    }

    /// RFC 9110 §10.1.1: once, and not behind the head of an answer, which says as much as it.
    private func inviteContent() {
        guard let intake, !intake.isInvited, parser.control.expectsContinue, streaming == nil else { return }
        intake.isInvited = true
        ResponseEncoder.appendContinue(to: &output)
    }
}
