extension Configuration {
    /// Where layouts are kept.
    enum Database: Sendable, Equatable {
        case file(String)
        case memory
        /// By an address as libpq takes it.
        case postgreSQL(String)

        init?(_ text: String) {
            if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") {
                self = .postgreSQL(text)
            } else if text.hasPrefix("sqlite:"), text.count > 7 {
                let path = String(text.dropFirst(7))
                self = path == ":memory:" ? .memory : .file(path)
            } else {
                return nil
            }
        }

        /// An address with `***` for its passwords, for people and logs.
        static func withoutPassword(_ text: String) -> String {
            guard let colon = text.indices.first(where: { text[$0...].hasPrefix("://") }) else { return text }
            let rest = text[colon...].dropFirst(3)
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            var shown = String(text[..<rest.startIndex])
            // A password may hold an @ that nobody has escaped: the last one ends it.
            if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") {
                shown += authority[...colon] + "***" + authority[at...]
            } else {
                shown += authority
            }
            let parts = rest[authority.endIndex...].split(
                separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            shown += parts[0]
            guard parts.count > 1 else { return shown }
            return shown + "?"
                + parts[1].split(separator: "&", omittingEmptySubsequences: false).map { parameter in
                    let name = parameter.prefix { $0 != "=" }
                    return name.hasSuffix("password") ? "\(name)=***" : String(parameter)
                }.joined(separator: "&")
        }
    }
}
