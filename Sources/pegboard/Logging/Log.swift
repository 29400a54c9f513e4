import Dispatch
import Glibc
import HTTP1
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
    private let pending = Mutex(Pending())
    private let queue = DispatchQueue(label: "log")

    private struct Pending {
        /// The lines, one behind the other.
        var octets: [UInt8] = []
        /// Empty, with the memory of lines that were written: to get as much anew, 50 times a second, costs more than the
        /// lines.
        var spare: [UInt8] = []
        var stamp = LogStamp()
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
    /// So much memory is kept between two writes.
    private static let mostSpare = 1 << 20
    private static let soon = DispatchTimeInterval.milliseconds(20)

    init(
        _ level: Level, _ format: Format, to descriptor: Int32 = STDERR_FILENO,
        clock: @escaping @Sendable () -> Int64 = Machine.nowAsOfLastTick
    ) {
        leastRank = Atomic(level.rank)
        self.format = format == .auto ? (isatty(descriptor) == 1 ? .text : .json) : format
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
        let room = fields.reduce(0) { $0 + LogLine.room(for: $1.key, $1.value) }
        append(.info, message, .now, room: room, fields) { for (name, value) in $1 { $0.add(name, value) } }
    }

    /// Writes what is pending, now. For the end of the program.
    func flush() { queue.sync { writePending() } }

    private func write(_ level: Level, _ message: StaticString, _ fields: KeyValuePairs<StaticString, Value>) {
        guard isOn(level) else { return }
        let room = fields.reduce(0) { $0 + LogLine.room(for: $1.key, $1.value) }
        append(level, message, .now, room: room, fields) { for (name, value) in $1 { $0.add(name, value) } }
    }

    /// Adds a line, whatever its level is, with the fields that `add` makes of `facts`.
    ///
    /// - Parameter room: what they take at most; see `LogLine`.
    func append<Facts>(
        _ level: Level, _ message: StaticString, _ schedule: Schedule, room: Int, _ facts: Facts,
        _ add: (inout LogLine, Facts) -> Void
    ) {
        let capacity = LogLine.least + message.utf8CodeUnitCount + room
        let isNew = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
            var line = LogLine(format, in: buffer)
            line.begin(level, message)
            add(&line, facts)
            line.end()
            return append(line, schedule)
        }
        guard isNew else { return }
        switch schedule {
        case .now: queue.async { [self] in writePending() }
        case .soon: queue.asyncAfter(deadline: .now() + Self.soon) { [self] in writePending() }
        }
    }

    /// - Returns: whether nothing was to be written so soon.
    private func append(_ line: LogLine, _ schedule: Schedule) -> Bool {
        pending.withLock { pending in
            guard pending.octets.count < Self.mostPending else {
                pending.dropped += 1
                return false
            }
            // Here, so that the lines stand in the order of their times.
            pending.stamp.set(clock())
            pending.octets.append(atMost: LogStamp.longest + line.octets.count) { room in
                pending.stamp.write(format, to: &room)
                room.write(line.octets)
            }
            defer { pending.schedule = max(pending.schedule ?? schedule, schedule) }
            return pending.schedule.map { $0 < schedule } ?? true
        }
    }

    private func writePending() {
        var (octets, dropped) = pending.withLock { pending in
            defer { pending = Pending(octets: pending.spare, stamp: pending.stamp) }
            return (pending.octets, pending.dropped)
        }
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        rest = []
        octets.removeAll(keepingCapacity: octets.capacity <= Self.mostSpare)
        pending.withLock { [octets] in $0.spare = octets }
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
