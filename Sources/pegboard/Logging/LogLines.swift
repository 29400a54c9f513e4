import HTTP1
import LayoutAPI

/// The lines that wait to be written, in either format. They are put together where they stay: for each request there is
/// one, and it must not cost more than the request.
struct LogLines {
    // One of them holds the octets, as the format has it.
    private var json = JSONWriter(reserving: 0)
    private var text: [UInt8] = []
    private let isJSON: Bool

    init(_ format: Log.Format) { isJSON = format == .json }

    var octets: [UInt8] { isJSON ? json.octets : text }

    mutating func begin(_ level: Log.Level, _ message: StaticString, at time: Int64) {
        guard isJSON else {
            text += "\(rfc3339(time).dropFirst(11).dropLast()) \(level.rawValue.padding(to: 7)) \(message)".utf8
            return
        }
        json.beginObject()
        json.name("time")
        json.timestamp(time)
        json.member("level", level.rawValue)
        json.member("message", message)
    }

    /// Nothing where there is no text.
    mutating func add(_ name: StaticString, _ value: String) {
        guard !value.isEmpty else { return }
        if isJSON { json.member(name, value) } else { text += " \(name)=\(value.escapedForLog)".utf8 }
    }

    mutating func add(_ name: StaticString, _ id: RequestID) {
        if isJSON {
            json.name(name)
            id.withOctets { json.string($0) }
        } else {
            text += " \(name)=\(id)".utf8
        }
    }

    mutating func add(_ name: StaticString, _ value: Int) {
        if isJSON { json.member(name, value) } else { text += " \(name)=\(value)".utf8 }
    }

    mutating func add(_ name: StaticString, _ value: Log.Value) {
        switch value {
        case .text(let text): add(name, text)
        case .number(let number): add(name, number)
        }
    }

    mutating func end() {
        guard isJSON else { return text.append(UInt8(ascii: "\n")) }
        json.endObject()
        json.endLine()
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
