/// Reads a draft once, in the order of the document, and notes every fault.
struct CatalogCheck {
    private let draft: CatalogDraft
    private let isForgiven: (CatalogDraft.Fault.Code) -> Bool
    private(set) var faults = CatalogDraft.Faults()
    /// Ids are compared once they are known to be some: as plain text the sign for kelvin is a K.
    private var known: Set<FunctionID> = []
    /// How each language was written first.
    private var languages: [String: String] = [:]

    private static let longestTitle = 200
    /// A text of a megabyte could be repeated in every fault.
    private static let longestQuote = 64

    init(_ draft: CatalogDraft, forgiving isForgiven: @escaping (CatalogDraft.Fault.Code) -> Bool) {
        self.draft = draft
        self.isForgiven = isForgiven
    }

    mutating func run() -> [Function] {
        known = Set(draft.functions.compactMap { FunctionID($0.id) })
        languages = [draft.defaultLanguage.lowercased(): draft.defaultLanguage]
        checkLanguage(draft.defaultLanguage, at: "/defaultLanguage")
        checkPolicy()
        checkDefaults()
        checkSections()
        return checkFunctions()
    }

    private mutating func note(
        _ code: CatalogDraft.Fault.Code, _ pointer: @autoclosure () -> String, _ detail: @autoclosure () -> String
    ) {
        if !isForgiven(code) { faults.note(.init(pointer: pointer(), code: code, detail: detail())) }
    }

    private static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let start = scalars.prefix(longestQuote)
        return start.endIndex == scalars.endIndex ? "'\(text)'" : "'\(String(start))…'"
    }

    /// RFC 6901 §3: a name that somebody chose may hold the two characters that mean something in a pointer.
    private static func pointer(_ place: String, _ name: String) -> String {
        place + "/" + name.unicodeScalars.reduce(into: "") { $0 += $1 == "~" ? "~0" : $1 == "/" ? "~1" : String($1) }
    }

    private mutating func checkPolicy() {
        let (minimum, limit) = (draft.policy.minimum, draft.policy.limit)
        if !(0...Catalog.mostFavorites).contains(minimum) {
            note(.invalidNumber, "/policy/minimum", "The minimum is 0 to \(Catalog.mostFavorites), not \(minimum).")
        }
        if !(1...Catalog.mostFavorites).contains(limit) {
            note(.invalidNumber, "/policy/limit", "The limit is 1 to \(Catalog.mostFavorites), not \(limit).")
        }
        if minimum > limit {
            note(.minimumAboveLimit, "/policy/minimum", "The minimum \(minimum) is above the limit \(limit).")
        }
        let required = draft.functions.count { $0.isRequired && $0.status == Function.Status.active.rawValue }
        if required > limit {
            note(
                .requiredAboveLimit, "/policy/limit",
                "\(required) required functions are more than the limit of \(limit).")
        }
    }

    private mutating func checkDefaults() {
        let (defaults, limit) = (draft.defaults, draft.policy.limit)
        var seen: Set<FunctionID> = []
        for (index, text) in defaults.enumerated() {
            guard let id = member(text, at: "/defaults/\(index)") else { continue }
            if !seen.insert(id).inserted {
                note(.duplicateMember, "/defaults/\(index)", "'\(id)' stands among the defaults already.")
            }
        }
        if defaults.count > limit {
            note(.defaultsAboveLimit, "/defaults", "\(defaults.count) defaults are more than the limit of \(limit).")
        }
    }

    private mutating func checkSections() {
        var sections: Set<FunctionID> = []
        var homes: [FunctionID: String] = [:]
        for (index, section) in draft.sections.enumerated() {
            let place = "/sections/\(index)"
            let id = identifier(section.id, at: "\(place)/id")
            if id?.text == "favorites" {
                note(.duplicateID, "\(place)/id", "'favorites' is the user's own section; give this one another id.")
            } else if let id, !sections.insert(id).inserted {
                note(.duplicateID, "\(place)/id", "Another section is called '\(id)' already.")
            }
            checkTitle(section.title, at: "\(place)/title")
            for (position, text) in section.functions.enumerated() {
                let pointer = "\(place)/functions/\(position)"
                guard let id = member(text, at: pointer) else { continue }
                if let home = homes.updateValue(section.id, forKey: id) {
                    note(
                        .duplicateMember, pointer,
                        "'\(id)' stands in section \(Self.quoted(home)) already; a function has one section.")
                }
            }
        }
    }

    private mutating func checkFunctions() -> [Function] {
        var ids: Set<FunctionID> = []
        var slots: [Int: String] = [:]
        var functions: [Function] = []
        for (index, function) in draft.functions.enumerated() {
            let place = "/functions/\(index)"
            let id = identifier(function.id, at: "\(place)/id")
            if let id, !ids.insert(id).inserted {
                note(.duplicateID, "\(place)/id", "Another function is called '\(id)' already.")
            }
            checkTitle(function.title, at: "\(place)/title")
            if let slot = function.pin {
                if !(0..<Catalog.mostFavorites).contains(slot) {
                    note(
                        .invalidNumber, "\(place)/pin",
                        "A pin is a slot from 0 to \(Catalog.mostFavorites - 1), not \(slot).")
                } else if let other = slots.updateValue(function.id, forKey: slot) {
                    note(.duplicatePin, "\(place)/pin", "\(Self.quoted(other)) is pinned at slot \(slot) already.")
                }
            }
            let status = Function.Status(rawValue: function.status)
            if status == nil {
                note(
                    .invalidStatus, "\(place)/status",
                    "A status is 'active' or 'retired', not \(Self.quoted(function.status)).")
            }
            let availability = checkAvailability(of: function, at: "\(place)/availability")
            if let id, let status {
                functions.append(
                    Function(
                        id: id, title: function.title, icon: function.icon, link: function.link,
                        isMovable: function.isMovable, isRemovable: function.isRemovable,
                        isRequired: function.isRequired,
                        pin: function.pin, status: status, availability: availability))
            }
        }
        return functions
    }

    private mutating func checkAvailability(of function: CatalogDraft.Function, at place: String) -> Availability {
        for (index, platform) in (function.platforms ?? []).enumerated() {
            checkPlatform(platform, at: "\(place)/platforms/\(index)")
        }
        if function.platforms?.isEmpty == true {
            note(.invalidPlatform, "\(place)/platforms", "Name at least one platform, or leave the field out for all.")
        }
        let first = checkVersions(function.minimumVersion, at: "\(place)/minimumVersion")
        let last = checkVersions(function.maximumVersion, at: "\(place)/maximumVersion")
        for (platform, version) in first.sorted(by: { $0.key < $1.key }) {
            if let end = last[platform], end < version {
                note(
                    .invalidVersion, Self.pointer("\(place)/maximumVersion", platform),
                    "The last version \(end.text) comes before the first, \(version.text).")
            }
        }
        if !(0...100).contains(function.rollout) {
            note(.invalidRollout, "\(place)/rollout", "A roll-out is 0 to 100 percent, not \(function.rollout).")
        }
        return Availability(
            platforms: function.platforms, minimumVersion: first, maximumVersion: last, rollout: function.rollout)
    }

    private mutating func checkVersions(_ texts: [String: String], at place: String) -> [String: AppVersion] {
        var versions: [String: AppVersion] = [:]
        for (platform, text) in texts.sorted(by: { $0.key < $1.key }) {
            let pointer = Self.pointer(place, platform)
            checkPlatform(platform, at: pointer)
            if let version = AppVersion(text) {
                versions[platform] = version
            } else {
                note(.invalidVersion, pointer, "A version is numbers with dots, like 10.3.1, not \(Self.quoted(text)).")
            }
        }
        return versions
    }

    /// The function that `text` names; nil, with a fault, where none is called so.
    private mutating func member(_ text: String, at pointer: String) -> FunctionID? {
        if let id = FunctionID(text), known.contains(id) { return id }
        note(.unknownID, pointer, "No function is called \(Self.quoted(text)).")
        return nil
    }

    /// The id that `text` is; nil, with a fault, where it is none.
    private mutating func identifier(_ text: String, at pointer: String) -> FunctionID? {
        let id = FunctionID(text)
        if id == nil {
            note(.invalidID, pointer, "An id is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not \(Self.quoted(text)).")
        }
        return id
    }

    private mutating func checkPlatform(_ platform: String, at pointer: String) {
        if FunctionID(platform) == nil {
            note(.invalidPlatform, pointer, "A platform is a short word like 'ios', not \(Self.quoted(platform)).")
        }
    }

    private mutating func checkTitle(_ title: Title, at place: String) {
        let standard = draft.defaultLanguage
        if title.texts[standard]?.isEmpty ?? true {
            note(.missingTitle, place, "The title needs a text in the default language, \(Self.quoted(standard)).")
        }
        for (language, text) in title.texts.sorted(by: { $0.key < $1.key }) {
            let pointer = Self.pointer(place, language)
            checkLanguage(language, at: pointer)
            checkSpelling(of: language, at: pointer)
            if text.isEmpty, language != standard {
                note(
                    .invalidTitle, pointer, "This title is empty. Leave the language out: the default's is shown then.")
            }
            if text.unicodeScalars.count > Self.longestTitle {
                note(.invalidTitle, pointer, "A title has at most \(Self.longestTitle) characters.")
            }
            if text.unicodeScalars.contains(where: \.isControl) {
                note(.invalidTitle, pointer, "A title is one line of text without control characters.")
            }
        }
    }

    /// RFC 5646 §2.1.1: case means nothing in a tag. Of two spellings a page would show the one, and the other never.
    private mutating func checkSpelling(of language: String, at pointer: String) {
        let key = language.lowercased()
        let first = languages[key] ?? language
        if first != language {
            note(
                .duplicateLanguage, pointer,
                "\(Self.quoted(language)) is the language that this catalog calls \(Self.quoted(first)); write it in one way."
            )
        }
        languages[key] = first
    }

    /// RFC 5646 §2.1, its outer shape: subtags of 1–8 letters or digits, the first of letters.
    private mutating func checkLanguage(_ tag: String, at pointer: String) {
        let subtags = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let letters = { (octet: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet | 0x20) }
        let digits = { (octet: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) }
        let wellFormed = subtags.allSatisfy {
            (1...8).contains($0.count) && $0.allSatisfy { letters($0) || digits($0) }
        }
        if !wellFormed || subtags[0].count < 2 || !subtags[0].allSatisfy(letters) {
            note(.invalidLanguage, pointer, "\(Self.quoted(tag)) is no language tag such as 'en' or 'zh-Hans'.")
        }
    }
}
