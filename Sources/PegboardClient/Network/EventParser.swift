import Foundation

/// Server-sent events out of bytes (WHATWG HTML §9.2.6): lines end with LF, CR or CR LF, wherever the bytes were cut.
struct EventParser {
    struct Event: Equatable {
        var name: String
        var data: String
        /// The last id that the stream has named, in this event or before.
        var id: String
    }

    private var line: [UInt8] = []
    private var lastWasCR = false
    private var isFirstLine = true
    private var name = ""
    private var data: [String] = []
    /// The id of the last event that came whole: what is asked for after a cut.
    private(set) var lastID: String
    /// What the stream has named since, maybe for an event of which the rest never comes.
    private var id: String
    /// What the server asked to wait before coming back (`retry:`).
    private(set) var retry: Duration?

    /// More in one line is no layout; the stream is given up.
    private static let longestLine = 1_024 * 1_024
    struct LineTooLong: Error {}

    init(lastID: String = "") {
        self.lastID = lastID
        id = lastID
    }

    mutating func take(_ bytes: some Sequence<UInt8>) throws -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            let isLF = byte == UInt8(ascii: "\n")
            if isLF && lastWasCR {
                lastWasCR = false
                continue
            }
            lastWasCR = byte == UInt8(ascii: "\r")
            if isLF || lastWasCR {
                if let event = endLine() { events.append(event) }
            } else {
                guard line.count < Self.longestLine else { throw LineTooLong() }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        var text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        if isFirstLine, text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        isFirstLine = false
        if text.isEmpty { return dispatch() }
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        var value = colon == text.endIndex ? "" : text[text.index(after: colon)...]
        if value.first == " " { value.removeFirst() }
        switch text[..<colon] {
        case "event": name = String(value)
        case "data": data.append(String(value))
        case "id" where !value.contains("\0"): id = String(value)
        case "retry": if let milliseconds = Int(value), milliseconds >= 0 { retry = .milliseconds(milliseconds) }
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> Event? {
        defer {
            name = ""
            data = []
        }
        lastID = id
        guard !data.isEmpty else { return nil }
        return Event(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"), id: lastID)
    }
}
