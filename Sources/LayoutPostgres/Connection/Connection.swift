import CPostgreSQL
import Dispatch
import Glibc

/// One connection to a server. Every call ends by its deadline, whatever the server and the network do: libpq's own calls
/// that wait are not used. For one thread at a time.
///
/// Every statement is complete in itself: PgBouncer in transaction mode gives each to another server connection.
package final class Connection {
    let handle: OpaquePointer
    private let address: ServerAddress
    /// Which of the address's hosts it leads to.
    private let host: Int
    private let warnings = Warnings()
    private let grace: Duration
    package let openedAt = ContinuousClock.now
    private(set) package var isUsable = true
    /// Whether a commit was not answered in time; the connection is closed then, for everything but `awaitOwedAnswer`.
    private(set) package var owesAnswer = false
    /// What came so far of the answer to the statement under way.
    private var rows: Rows?
    private var failure: PostgresError?
    /// The statements that came so far, each with the name under which the server keeps it, or may.
    var statements: [String: (name: String, isKept: Bool)] = [:]
    /// Whether the server keeps statements for us; nil before it was asked.
    var keepsStatements: Bool?

    /// Connects to the first of the address's hosts that takes writes.
    ///
    /// - Parameter grace: how long a statement that is told to stop may take to do so.
    /// - Throws: `PostgresError.unreachable`.
    package init(to address: ServerAddress, by deadline: ContinuousClock.Instant, grace: Duration) throws {
        self.grace = grace
        self.address = address
        let candidates = address.candidates
        var opened: (handle: OpaquePointer, host: Int)?
        var failures: [String] = []
        for (host, options) in candidates where opened == nil {
            // Where there are others, a host that says nothing does not get all the time there is.
            let end = candidates.count == 1 ? deadline : min(deadline, .now + Self.patienceWithHost)
            do { opened = (try Self.open(options, by: end), host) } catch is Late {
                failures.append("no answer in time")
            } catch let error as PostgresError {
                failures.append(error.message)
            }
        }
        guard let opened else { throw PostgresError(.unreachable, failures.joined(separator: "; ")) }
        (handle, host) = opened
        address.prefer(host)
        PQsetnonblocking(handle, 1)
        PQsetNoticeReceiver(handle, Warnings.receiver, Unmanaged.passUnretained(warnings).toOpaque())
    }

    private static let patienceWithHost = Duration.seconds(2)

    deinit { PQfinish(handle) }

    /// 150003 for 15.3.
    package var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// Gives it up: nobody may use it any more.
    package func close() { isUsable = false }

    /// Runs a statement that changes nothing.
    ///
    /// - Throws: `Setback`.
    @discardableResult
    package func read(
        _ statement: String, _ parameters: [Parameter] = [], by deadline: ContinuousClock.Instant
    ) throws -> Rows {
        do { return try run(statement, parameters, by: deadline) } catch let error as PostgresError {
            throw Setback(meaning: error.meaningOfRead, error: error)
        }
    }

    /// Runs a statement that changes something, and returns once that is committed.
    ///
    /// - Throws: `Setback`.
    @discardableResult
    package func write(
        _ statement: String, _ parameters: [Parameter] = [], by deadline: ContinuousClock.Instant
    ) throws -> Rows {
        do { return try run(statement, parameters, by: deadline) } catch let error as PostgresError {
            throw Setback(meaning: error.meaningOfWrite, error: error)
        }
    }

    /// The same, where somebody will be told of it: such a statement is never told to stop. A commit that waits for a standby
    /// would then be made on this server alone, where everybody could read it, and a repeat would find it done; and be lost
    /// with the server.
    ///
    /// - Throws: `Setback`.
    @discardableResult
    package func commit(
        _ statement: String, _ parameters: [Parameter] = [], by deadline: ContinuousClock.Instant
    ) throws -> Rows {
        try endIfServerDid()
        do { return try run(statement, parameters, by: deadline, stops: false) } catch let error as PostgresError {
            throw Setback(meaning: error.meaningOfWrite, error: error)
        }
    }

    /// Where the server has ended the connection while nobody used it, that is known before anything is sent; a commit sent all
    /// the same would be one of which nobody knows what became of it.
    ///
    /// - Throws: `Setback`.
    private func endIfServerDid() throws {
        var entry = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // Its last word first, then the end.
        while isUsable, poll(&entry, 1, 0) != 0 {
            do { try consume() } catch let error as PostgresError {
                close()
                throw Setback(meaning: .elsewhere, error: error)
            }
        }
    }

    /// Waits for the answer that nobody waits for any more: else the server would be left with one statement after another
    /// that it cannot finish, until it takes no more connections.
    package func awaitOwedAnswer(unless isOver: () -> Bool) {
        guard owesAnswer else { return }
        owesAnswer = false
        let end = ContinuousClock.now + Self.longestCommit
        while .now < end, !isOver(), !isServedElsewhere {
            do { _ = try answer(by: .now + .seconds(1)) } catch is Late { continue } catch { return }
            return
        }
    }

    /// As long as a failover takes that this side of a proxy doesn't see.
    private static let longestCommit = Duration.seconds(30)

    /// Whether another of the hosts takes writes by now, so that this one is the primary no more.
    private var isServedElsewhere: Bool {
        for (number, options) in address.candidates where number != host {
            guard let other = try? Self.open(options, by: .now + .seconds(1)) else { continue }
            PQfinish(other)
            return true
        }
        return false
    }

    /// Runs one statement, which is a transaction by itself.
    ///
    /// - Throws: `PostgresError`; `Setback` where nothing of it was begun.
    private func run(
        _ statement: String, _ parameters: [Parameter], by deadline: ContinuousClock.Instant, stops: Bool = true
    ) throws -> Rows {
        let name: String?
        do { name = try preparedName(of: statement, parameters, by: deadline) } catch let error as PostgresError {
            throw Setback(meaning: error.meaningOfRead, error: error)
        }
        do {
            return try exchange(by: deadline, stops: stops) { try send(statement, as: name, parameters) }
        } catch let error as PostgresError where error.state == .unknownStatement && name != nil {
            // Nothing was done. The session is not ours after all, or somebody has cleared it.
            keepsStatements = false
            statements = [:]
            return try exchange(by: deadline, stops: stops) { try send(statement, as: nil, parameters) }
        }
    }

    /// Says something, and waits for all that is answered.
    ///
    /// - Throws: `PostgresError`. Once it was thrown with `endsConnection`, the connection is closed.
    func exchange(
        by deadline: ContinuousClock.Instant, stops: Bool = true, _ say: () throws -> Void
    ) throws -> Rows {
        guard isUsable else { throw PostgresError(.lost, "the connection is closed") }
        warnings.first = nil
        do {
            (rows, failure) = (nil, nil)
            try say()
            let rows = try receive(by: deadline, stops: stops)
            if let warning = warnings.first { throw PostgresError(.warned(warning.state), warning.message) }
            return rows
        } catch let error as PostgresError {
            // A transaction left open would be everybody's after us.
            if error.endsConnection || PQtransactionStatus(handle) != PQTRANS_IDLE {
                close()
                address.distrust(host)
            }
            throw error
        }
    }

    private static func open(
        _ options: [ServerAddress.Option], by deadline: ContinuousClock.Instant
    ) throws -> OpaquePointer {
        let keywords = options.map { strdup($0.keyword) } + [nil]
        let values = options.map { strdup($0.value) } + [nil]
        defer { for text in keywords + values { free(text) } }
        let started = keywords.map { UnsafePointer<CChar>($0) }.withUnsafeBufferPointer { keywords in
            values.map { UnsafePointer<CChar>($0) }.withUnsafeBufferPointer { values in
                // The address is expanded where it stands; what comes after it has the last word.
                PQconnectStartParams(keywords.baseAddress, values.baseAddress, 1)
            }
        }
        guard let started else { throw PostgresError(.unreachable, "no memory for a connection") }
        do { try finishConnecting(started, by: deadline) } catch {
            PQfinish(started)
            throw error
        }
        return started
    }

    private static func finishConnecting(_ handle: OpaquePointer, by deadline: ContinuousClock.Instant) throws {
        // A host whose name leads nowhere has failed by now, and there is no socket to wait for.
        var state = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while true {
            // https://www.postgresql.org/docs/current/libpq-connect.html: until the first poll it waits to write.
            switch state {
            case PGRES_POLLING_READING: try wait(on: handle, to: POLLIN, by: deadline)
            case PGRES_POLLING_WRITING: try wait(on: handle, to: POLLOUT, by: deadline)
            case PGRES_POLLING_OK: return
            default: throw PostgresError(.unreachable, lastMessage(of: handle))
            }
            state = PQconnectPoll(handle)
        }
    }

    func send(_ statement: String, as name: String?, _ parameters: [Parameter]) throws {
        let lengths = parameters.map { Int32($0.octets?.count ?? 0) }
        let (count, formats) = (Int32(parameters.count), [Int32](repeating: 1, count: parameters.count))
        // One block for all values: none of them moves while libpq reads them.
        var block: [UInt8] = []
        block.reserveCapacity(parameters.reduce(1) { $0 + ($1.octets?.count ?? 0) })
        var places: [Int?] = []
        for parameter in parameters {
            places.append(parameter.octets == nil ? nil : block.count)
            block += parameter.octets ?? []
        }
        // An empty value needs an address as well: a null one would be NULL.
        block.append(0)
        let isSent = block.withUnsafeBytes { block in
            let start = block.bindMemory(to: CChar.self).baseAddress
            let values = places.map { place in place.flatMap { start?.advanced(by: $0) } }
            if let name { return PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) }
            return PQsendQueryParams(handle, statement, count, parameters.map(\.type), values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw PostgresError(.lost, lastMessage) }
    }

    private func receive(by deadline: ContinuousClock.Instant, stops: Bool) throws -> Rows {
        do { return try answer(by: deadline) } catch is Late {
            owesAnswer = !stops
            guard stops else { throw PostgresError(.lost, "the commit was not answered in time") }
            requestCancellation()
        }
        do { return try answer(by: .now + grace) } catch is Late {
            throw PostgresError(.lost, "the server did not answer in time")
        }
    }

    /// Waits for everything that the server says to the statement, until it is ready for the next: what comes after the
    /// result tells whether the commit succeeded.
    private func answer(by deadline: ContinuousClock.Instant) throws -> Rows {
        try flush(by: deadline)
        while let result = try nextResult(by: deadline) {
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: rows = Rows(result)
            default:
                failure = error(in: result)
                PQclear(result)
            }
        }
        if let failure { throw failure }
        guard let rows, PQstatus(handle) == CONNECTION_OK else { throw PostgresError(.lost, lastMessage) }
        return rows
    }

    private func flush(by deadline: ContinuousClock.Instant) throws {
        while true {
            let state = PQflush(handle)
            if state == 0 { return }
            guard state == 1 else { throw PostgresError(.lost, lastMessage) }
            // The server may have to be read before it reads on.
            if try wait(to: POLLIN | POLLOUT, by: deadline) & Int32(POLLIN) != 0 { try consume() }
        }
    }

    private func nextResult(by deadline: ContinuousClock.Instant) throws -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            try wait(to: POLLIN, by: deadline)
            try consume()
        }
        return PQgetResult(handle)
    }

    private func consume() throws {
        guard PQconsumeInput(handle) == 1 else { throw PostgresError(.lost, lastMessage) }
    }

    private func error(in result: OpaquePointer) -> PostgresError {
        let message = pegboard_message(result).map { String(cString: $0) } ?? lastMessage
        guard let state = pegboard_sqlstate(result) else { return PostgresError(.lost, message) }
        return PostgresError(.answered(SQLState(String(cString: state))), message)
    }

    /// What libpq says of the connection, on one line.
    var lastMessage: String { Self.lastMessage(of: handle) }

    private static func lastMessage(of handle: OpaquePointer) -> String {
        let words = String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? "the server closed the connection" : words.joined(separator: " ")
    }
}

// MARK: - Waiting

extension Connection {
    /// The deadline passed.
    private struct Late: Error {}

    @discardableResult
    private func wait(to events: Int32, by deadline: ContinuousClock.Instant) throws -> Int32 {
        try Self.wait(on: handle, to: events, by: deadline)
    }

    @discardableResult
    private static func wait(
        on handle: OpaquePointer, to events: Int32, by deadline: ContinuousClock.Instant
    ) throws -> Int32 {
        var entry = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        while true {
            let left = deadline - .now
            guard left > .zero else { throw Late() }
            // Rounded up: a poll that ends a moment early would turn until the deadline.
            let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
            let count = poll(&entry, 1, Int32(clamping: milliseconds))
            if count > 0 { return Int32(entry.revents) }
            guard count == 0 || errno == EINTR else { throw PostgresError(.lost, "poll: errno \(errno)") }
        }
    }

    /// Tells the server to stop. `statement_timeout` would not do: it is off while a commit waits for a standby. A commit that
    /// is told to stop then succeeds, with a warning.
    ///
    /// On a thread of its own: `PQcancel` connects and waits as long as the network likes, and a frozen server keeps it for
    /// ever.
    private func requestCancellation() {
        guard let cancellation = PQgetCancel(handle) else { return }
        let request = Cancellation(handle: cancellation)
        DispatchQueue.global(qos: .utility).async { request.send() }
    }

    private struct Cancellation: @unchecked Sendable {
        // @unchecked: made for one thread, and handed to another.
        let handle: OpaquePointer

        func send() {
            var words = [CChar](repeating: 0, count: 256)
            PQcancel(handle, &words, Int32(words.count))
            PQfreeCancel(handle)
        }
    }
}
