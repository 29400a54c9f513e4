import HTTP1
import LayoutAPI

/// One line of the log but for its time, in either format, put together in room of its own: for each request there is one, it
/// must not cost more than the request, and nobody is to wait for it.
struct LogLine {
    private var room: OctetRoom
    private let isJSON: Bool

    /// - Parameter room: for `least`, the message and what `room(for:)` says of each field.
    init(_ format: Log.Format, in room: UnsafeMutableBufferPointer<UInt8>) {
        self.room = OctetRoom(room)
        isJSON = format == .json
    }

    var octets: UnsafeBufferPointer<UInt8> { room.octets }

    /// What a line takes without message and fields: its level, and what stands around it.
    static let least = 64

    /// What a field takes whose value has so many octets, each of which may have to be escaped.
    static func room(for name: StaticString, _ count: Int) -> Int { name.utf8CodeUnitCount + 6 * count + 6 }

    static func room(for name: StaticString, _ value: Log.Value) -> Int {
        switch value {
        case .text(let text): room(for: name, text.utf8.count)
        // With a sign.
        case .number: name.utf8CodeUnitCount + 24
        }
    }

    mutating func begin(_ level: Log.Level, _ message: StaticString) {
        guard isJSON else {
            room.write(text: " \(level.rawValue.padding(to: 7)) ")
            return room.write(message)
        }
        room.write(",\"level\":\"")
        room.write(level.word)
        room.write("\",\"message\":")
        room.write(quoted: message)
    }

    // Inlined: where they are called the names are known.

    /// Nothing where there is no text.
    @inline(__always)
    mutating func add(_ name: StaticString, _ value: String) {
        guard !value.isEmpty else { return }
        guard isJSON else { return write(name, value.escapedForLog) }
        room.write(name: name, isFirst: false)
        room.write(quoted: value)
    }

    @inline(__always)
    mutating func add(_ name: StaticString, _ id: RequestID) {
        guard isJSON else { return write(name, id.description) }
        room.write(name: name, isFirst: false)
        room.write(quoted: id)
    }

    @inline(__always)
    mutating func add(_ name: StaticString, _ value: Int) {
        guard isJSON else { return write(name, String(value)) }
        room.write(name: name, isFirst: false)
        if value < 0 { room.write(text: String(value)) } else { room.write(value) }
    }

    mutating func add(_ name: StaticString, _ value: Log.Value) {
        switch value {
        case .text(let text): add(name, text)
        case .number(let number): add(name, number)
        }
    }

    mutating func end() { room.write(isJSON ? "}\n" : "\n") }

    private mutating func write(_ name: StaticString, _ text: String) {
        room.write(" ")
        room.write(name)
        room.write("=")
        room.write(text: text)
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
