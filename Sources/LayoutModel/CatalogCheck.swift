/// Reads a draft once, in the order of the document, and notes every fault.
struct CatalogCheck {
    private let draft: CatalogDraft
    private(set) var faults: [CatalogDraft.Fault] = []
    private var known: Set<String> = []

    /// More would make a page that nobody can use, and rows without bound.
    private static let mostFavorites = 1_000
    private static let longestTitle = 200

    init(_ draft: CatalogDraft) { self.draft = draft }

    mutating func run() -> [Function] {
        known = Set(draft.functions.map(\.id))
        checkLanguage(draft.defaultLanguage, at: "/defaultLanguage")
        checkPolicy()
        checkDefaults()
        checkSections()
        return checkFunctions()
    }

    private mutating func note(_ code: CatalogDraft.Fault.Code, _ pointer: String, _ detail: String) {
        faults.append(.init(pointer: pointer, code: code, detail: detail))
    }

    private mutating func checkPolicy() {
        let (minimum, limit) = (draft.policy.minimum, draft.policy.limit)
        if !(0...Self.mostFavorites).contains(minimum) {
            note(.invalidNumber, "/policy/minimum", "The minimum is 0 to \(Self.mostFavorites), not \(minimum).")
        }
        if !(1...Self.mostFavorites).contains(limit) {
            note(.invalidNumber, "/policy/limit", "The limit is 1 to \(Self.mostFavorites), not \(limit).")
        }
        if minimum > limit {
            note(.minimumAboveLimit, "/policy/minimum", "The minimum \(minimum) is above the limit \(limit).")
        }
    }

    private mutating func checkDefaults() {
        checkMembers(draft.defaults, at: "/defaults") { "'\($0)' stands among the defaults already." }
        if draft.defaults.count > draft.policy.limit {
            note(
                .defaultsAboveLimit, "/defaults",
                "\(draft.defaults.count) defaults are more than the limit of \(draft.policy.limit).")
        }
    }

    private mutating func checkSections() {
        var sections: Set<String> = []
        var homes: [String: String] = [:]
        for (index, section) in draft.sections.enumerated() {
            let place = "/sections/\(index)"
            checkID(section.id, at: "\(place)/id")
            if section.id == "favorites" {
                note(.duplicateID, "\(place)/id", "'favorites' is the user's own section; give this one another id.")
            } else if !sections.insert(section.id).inserted {
                note(.duplicateID, "\(place)/id", "Another section is called '\(section.id)' already.")
            }
            checkTitle(section.title, at: "\(place)/title")
            for (position, id) in section.functions.enumerated() {
                let pointer = "\(place)/functions/\(position)"
                if !known.contains(id) {
                    note(.unknownID, pointer, "No function is called '\(id)'.")
                } else if let home = homes.updateValue(section.id, forKey: id) {
                    note(
                        .duplicateMember, pointer,
                        "'\(id)' stands in section '\(home)' already; a function has one section.")
                }
            }
        }
    }

    private mutating func checkFunctions() -> [Function] {
        var ids: Set<String> = []
        var slots: [Int: String] = [:]
        var functions: [Function] = []
        for (index, function) in draft.functions.enumerated() {
            let place = "/functions/\(index)"
            checkID(function.id, at: "\(place)/id")
            if !ids.insert(function.id).inserted {
                note(.duplicateID, "\(place)/id", "Another function is called '\(function.id)' already.")
            }
            checkTitle(function.title, at: "\(place)/title")
            if let slot = function.pin {
                if !(0..<Self.mostFavorites).contains(slot) {
                    note(
                        .invalidNumber, "\(place)/pin",
                        "A pin is a slot from 0 to \(Self.mostFavorites - 1), not \(slot).")
                } else if let other = slots.updateValue(function.id, forKey: slot) {
                    note(.duplicatePin, "\(place)/pin", "'\(other)' is pinned at slot \(slot) already.")
                }
            }
            let status = Function.Status(rawValue: function.status)
            if status == nil {
                note(.invalidStatus, "\(place)/status", "A status is 'active' or 'retired', not '\(function.status)'.")
            }
            let availability = checkAvailability(of: function, at: "\(place)/availability")
            if let id = FunctionID(function.id), let status {
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
                    .invalidVersion, JSONPointer.appending(platform, to: "\(place)/maximumVersion"),
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
            let pointer = JSONPointer.appending(platform, to: place)
            checkPlatform(platform, at: pointer)
            if let version = AppVersion(text) {
                versions[platform] = version
            } else {
                note(.invalidVersion, pointer, "A version is numbers with dots, like 10.3.1, not '\(text)'.")
            }
        }
        return versions
    }

    private mutating func checkMembers(_ ids: [String], at place: String, repeated: (String) -> String) {
        var seen: Set<String> = []
        for (index, id) in ids.enumerated() {
            if !known.contains(id) {
                note(.unknownID, "\(place)/\(index)", "No function is called '\(id)'.")
            } else if !seen.insert(id).inserted {
                note(.duplicateMember, "\(place)/\(index)", repeated(id))
            }
        }
    }

    private mutating func checkID(_ id: String, at pointer: String) {
        if FunctionID(id) == nil {
            note(.invalidID, pointer, "An id is 1 to 64 of A-Z a-z 0-9 . _ ~ -, not '\(id)'.")
        }
    }

    private mutating func checkPlatform(_ platform: String, at pointer: String) {
        if FunctionID(platform) == nil {
            note(.invalidPlatform, pointer, "A platform is a short word like 'ios', not '\(platform)'.")
        }
    }

    private mutating func checkTitle(_ title: Title, at place: String) {
        if title.texts[draft.defaultLanguage]?.isEmpty ?? true {
            note(.missingTitle, place, "The title needs a text in the default language, '\(draft.defaultLanguage)'.")
        }
        for (language, text) in title.texts.sorted(by: { $0.key < $1.key }) {
            let pointer = JSONPointer.appending(language, to: place)
            checkLanguage(language, at: pointer)
            if text.unicodeScalars.count > Self.longestTitle {
                note(.invalidNumber, pointer, "A title has at most \(Self.longestTitle) characters.")
            }
        }
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
            note(.invalidLanguage, pointer, "'\(tag)' is no language tag such as 'en' or 'zh-Hans'.")
        }
    }
}
