import HTTP1

/// `Prefer: wait=30` (RFC 7240).
enum Preference {
    /// Proxies give up on a silent connection after a minute.
    private static let longestWait = 55

    /// The seconds that the answer may take; nil where it is wanted at once, or there is nothing to compare with.
    static func wait(of request: Request) -> Int? {
        guard request.method == .get, request.fields.contains("Prefer"), request.fields.contains("If-None-Match") else {
            return nil
        }
        for preference in request.fields.elements(of: "Prefer") {
            // What follows a semicolon are parameters, and `wait` knows none.
            let parts = preference.prefix { $0 != UInt8(ascii: ";") }
                .split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, name.trimmed.equalsIgnoringCase("wait") else { continue }
            // RFC 7240 §2: of several with one name the first counts.
            return parts.count == 2 ? seconds(parts[1].trimmed) : nil
        }
        return nil
    }

    /// A number, or the same in quotes: as much of it as anybody may wait.
    private static func seconds(_ value: ArraySlice<UInt8>) -> Int? {
        let quote = UInt8(ascii: "\"")
        let isQuoted = value.count >= 2 && value.first == quote && value.last == quote
        let digits = isQuoted ? value.dropFirst().dropLast() : value
        var seconds = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            seconds = min(seconds * 10 + Int(digit - UInt8(ascii: "0")), longestWait)
        }
        return seconds > 0 ? seconds : nil
    }
}
