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
    private let pending = Mutex(Pending())
    private let queue = DispatchQueue(label: "log")

    private struct Pending {
        var octets: [UInt8] = []
        var isScheduled = false
        var dropped = 0
    }

    typealias Level = LogLevel

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

    init(
        _ level: Level, _ format: Format, to descriptor: Int32 = STDERR_FILENO,
        clock: @escaping @Sendable () -> Int64 = Machine.now
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
        append(line(.info, message, fields))
    }

    /// Writes what is pending, now. For the end of the program.
    func flush() { queue.sync { writePending() } }

    private func write(_ level: Level, _ message: StaticString, _ fields: KeyValuePairs<StaticString, Value>) {
        if isOn(level) { append(line(level, message, fields)) }
    }

    private func line(
        _ level: Level, _ message: StaticString, _ fields: KeyValuePairs<StaticString, Value>
    ) -> [UInt8] {
        format == .json ? json(level, message, fields) : text(level, message, fields)
    }

    private func append(_ line: [UInt8]) {
        let schedules = pending.withLock { pending in
            guard pending.octets.count < Self.mostPending else {
                pending.dropped += 1
                return false
            }
            pending.octets.append(contentsOf: line)
            defer { pending.isScheduled = true }
            return !pending.isScheduled
        }
        if schedules { queue.async { [self] in writePending() } }
    }

    private func writePending() {
        let (octets, dropped) = pending.withLock { pending in
            defer { pending = Pending() }
            return (pending.octets, pending.dropped)
        }
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        if dropped > 0 { warning("log lines dropped", ["count": .number(dropped)]) }
    }

    private func json(_ level: Level, _ message: StaticString, _ fields: KeyValuePairs<StaticString, Value>) -> [UInt8]
    {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.member("time", rfc3339(clock()))
            json.member("level", level.rawValue)
            json.member("message", message.description)
            for (name, value) in fields {
                switch value {
                case .text(""): break
                case .text(let text): json.member(name, text)
                case .number(let number): json.member(name, number)
                }
            }
        }
        return json.octets + [UInt8(ascii: "\n")]
    }

    private func text(_ level: Level, _ message: StaticString, _ fields: KeyValuePairs<StaticString, Value>) -> [UInt8]
    {
        var line = "\(rfc3339(clock()).dropFirst(11).dropLast()) \(level.rawValue.padding(to: 7)) \(message)"
        for (name, value) in fields {
            switch value {
            case .text(""): break
            case .text(let text): line += " \(name)=\(text.escapedForLog)"
            case .number(let number): line += " \(name)=\(number)"
            }
        }
        return Array(line.utf8) + [UInt8(ascii: "\n")]
    }
}

extension String {
    /// Without anything that could end the line, or move a terminal's cursor.
    fileprivate var escapedForLog: String {
        guard unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) else {
            return self
        }
        return unicodeScalars.map {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? $0.escaped(asASCII: true) : String($0)
        }
        .joined()
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
