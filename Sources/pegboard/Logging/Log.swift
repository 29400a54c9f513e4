import Dispatch
import Glibc
import LayoutAPI
import Locking

import struct Synchronization.Atomic

/// The program's log: one line an event on standard error, with a constant message and the facts as fields. Nothing waits
/// for it: lines are collected, and written behind everybody's back.
final class Log: Sendable {
    /// The rank of the least important level that is logged.
    private let leastRank: Atomic<Int>
    private let format: Format
    private let descriptor: Int32
    private let clock: @Sendable () -> Int64
    private let pending: Mutex<Pending>
    private let queue = DispatchQueue(label: "log")

    private struct Pending {
        var lines: LogLines
        /// When they will be written.
        var schedule: Schedule?
        var dropped = 0
    }

    typealias Level = LogLevel

    /// How soon a line has to be written. A line for each request, written at once, would wake another thread for each.
    enum Schedule: Int, Comparable {
        case soon, now

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    enum Format: String, Sendable { case auto, text, json }

    /// A field of a line.
    enum Value: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
        case text(String)
        case number(Int)

        init(stringLiteral text: String) { self = .text(text) }
        init(integerLiteral number: Int) { self = .number(number) }
    }

    /// When a reader of the log is stuck, lines beyond this many octets are dropped, and counted.
    private static let mostPending = 4 << 20
    private static let soon = DispatchTimeInterval.milliseconds(20)

    init(
        _ level: Level, _ format: Format, to descriptor: Int32 = STDERR_FILENO,
        clock: @escaping @Sendable () -> Int64 = Machine.now
    ) {
        leastRank = Atomic(level.rank)
        self.format = format == .auto ? (isatty(descriptor) == 1 ? .text : .json) : format
        pending = Mutex(Pending(lines: LogLines(self.format)))
        self.descriptor = descriptor
        self.clock = clock
    }

    func isOn(_ level: Level) -> Bool { level.rank >= leastRank.load(ordering: .relaxed) }

    func debug(_ message: StaticString, _ fields: KeyValuePairs<StaticString, Value> = [:]) {
        write(.debug, message, fields)
    }
    func info(_ message: StaticString, _ fields: KeyValuePairs<StaticString, Value> = [:]) {
        write(.info, message, fields)
    }
    func warning(_ message: StaticString, _ fields: KeyValuePairs<StaticString, Value> = [:]) {
        write(.warning, message, fields)
    }
    func error(_ message: StaticString, _ fields: KeyValuePairs<StaticString, Value> = [:]) {
        write(.error, message, fields)
    }

    /// Says it whatever the level is: where the server listens is wanted by whoever started it.
    func announce(_ message: StaticString, _ fields: KeyValuePairs<StaticString, Value>) {
        append(.info, message, .now) { line in for (name, value) in fields { line.add(name, value) } }
    }

    /// Writes what is pending, now. For the end of the program.
    func flush() { queue.sync { writePending() } }

    private func write(_ level: Level, _ message: StaticString, _ fields: KeyValuePairs<StaticString, Value>) {
        guard isOn(level) else { return }
        append(level, message, .now) { line in for (name, value) in fields { line.add(name, value) } }
    }

    /// Adds a line, whatever its level is, with the fields that `add` adds to it.
    func append(_ level: Level, _ message: StaticString, _ schedule: Schedule, _ add: (inout LogLines) -> Void) {
        let time = clock()
        let isNew = pending.withLock { pending in
            guard pending.lines.octets.count < Self.mostPending else {
                pending.dropped += 1
                return false
            }
            pending.lines.begin(level, message, at: time)
            add(&pending.lines)
            pending.lines.end()
            defer { pending.schedule = max(pending.schedule ?? schedule, schedule) }
            return pending.schedule.map { $0 < schedule } ?? true
        }
        guard isNew else { return }
        switch schedule {
        case .now: queue.async { [self] in writePending() }
        case .soon: queue.asyncAfter(deadline: .now() + Self.soon) { [self] in writePending() }
        }
    }

    private func writePending() {
        let (octets, dropped) = pending.withLock { pending in
            defer { pending = Pending(lines: LogLines(format)) }
            return (pending.lines.octets, pending.dropped)
        }
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        if dropped > 0 { warning("log lines dropped", ["count": .number(dropped)]) }
    }
}

extension Log: LogLevelControl {
    var level: LogLevel { LogLevel.allCases[leastRank.load(ordering: .relaxed)] }

    /// Says so at the new level and at the old one alike: the log itself has to tell why it falls silent.
    func change(to level: LogLevel) {
        let before = LogLevel.allCases[leastRank.exchange(level.rank, ordering: .relaxed)]
        guard level != before else { return }
        announce("log level changed", ["from": .text(before.rawValue), "to": .text(level.rawValue)])
    }
}
