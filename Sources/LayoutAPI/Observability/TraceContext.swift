package import HTTP1

/// Which trace a request belongs to: what `traceparent` says (W3C Trace Context, §3.2).
package struct TraceContext: Sendable, Equatable {
    /// The trace's 32 hexadecimal digits and the 16 of the caller's span, if there is one: one text, since every exchange
    /// has room for it and few have it.
    private let digits: String

    /// 32 hexadecimal digits.
    package var traceID: String { String(digits.prefix(32)) }
    /// The span of the caller, 16 digits; nil where the trace begins here.
    package var parentID: String? { digits.utf8.count > 32 ? String(digits.suffix(16)) : nil }

    /// nil where the request belongs to none. A `traceparent` that is not valid, or stands twice, is not believed: a trace
    /// begins here, under an id of its own.
    package init?(of request: borrowing Request) {
        switch request.fields.occurrence(of: "traceparent") {
        case .none: return nil
        case .once(let value): self = Self(value) ?? Self(beginningWith: request.number)
        case .several: self = Self(beginningWith: request.number)
        }
    }

    private init(beginningWith number: UInt64) {
        digits = "\(RequestID(~number))\(RequestID(number))"
    }

    /// `00-`trace-id`-`parent-id`-`flags. A version that we do not know may go on behind them, after another dash.
    init?(_ value: ArraySlice<UInt8>) {
        let octets = Array(value)
        guard octets.count >= 55, [2, 35, 52].allSatisfy({ octets[$0] == UInt8(ascii: "-") }) else { return nil }
        let (version, trace, parent, flags) = (octets[0..<2], octets[3..<35], octets[36..<52], octets[53..<55])
        guard [version, trace, parent, flags].allSatisfy({ $0.allSatisfy(Self.isDigit) }) else { return nil }
        if version.elementsEqual("00".utf8) {
            guard octets.count == 55 else { return nil }
        } else {
            guard !version.elementsEqual("ff".utf8), octets.count == 55 || octets[55] == UInt8(ascii: "-") else {
                return nil
            }
        }
        guard [trace, parent].allSatisfy({ $0.contains { $0 != UInt8(ascii: "0") } }) else { return nil }
        digits = String(decoding: trace + parent, as: UTF8.self)
    }

    /// Lower case alone.
    private static func isDigit(_ octet: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(octet)
    }
}
