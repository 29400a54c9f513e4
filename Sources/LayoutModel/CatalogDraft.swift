/// A catalog as somebody wrote it, not yet checked: ids are plain text, and anything may be missing or double.
package struct CatalogDraft: Sendable {
    package var policy = Catalog.Policy(minimum: 0, limit: 12)
    package var defaults: [String] = []
    package var sections: [Section] = []
    package var functions: [Function] = []
    package var defaultLanguage = "en"

    package init() {}

    package struct Section: Sendable {
        package var id: String
        package var title: Title
        package var functions: [String]

        package init(id: String, title: Title, functions: [String]) {
            self.id = id
            self.title = title
            self.functions = functions
        }
    }

    package struct Function: Sendable {
        package var id: String
        package var title: Title
        package var icon: String?
        package var link: String?
        package var isMovable = true
        package var isRemovable = true
        package var isRequired = false
        package var pin: Int?
        package var status = "active"
        package var platforms: [String]?
        package var minimumVersion: [String: String] = [:]
        package var maximumVersion: [String: String] = [:]
        package var rollout = 100

        package init(id: String, title: Title) {
            self.id = id
            self.title = title
        }
    }

    /// One thing that is wrong, with its place in the document.
    package struct Fault: Equatable, Sendable {
        /// RFC 6901: `/functions/3/pin`.
        package var pointer: String
        package var code: Code
        /// A sentence for the person who wrote it: what is wrong and what would be right.
        package var detail: String

        package enum Code: String, CaseIterable, Sendable {
            case invalidID = "invalid_id"
            case duplicateID = "duplicate_id"
            case unknownID = "unknown_id"
            case duplicateMember = "duplicate_member"
            case duplicatePin = "duplicate_pin"
            case invalidNumber = "invalid_number"
            case minimumAboveLimit = "minimum_above_limit"
            case defaultsAboveLimit = "defaults_above_limit"
            case missingTitle = "missing_title"
            case invalidLanguage = "invalid_language"
            case invalidStatus = "invalid_status"
            case invalidPlatform = "invalid_platform"
            case invalidVersion = "invalid_version"
            case invalidRollout = "invalid_rollout"
            case requiredAboveLimit = "required_above_limit"
            case invalidTitle = "invalid_title"
            case duplicateLanguage = "duplicate_language"

            /// Whether earlier releases took it: what they published stays in force.
            fileprivate var isForgiven: Bool {
                switch self {
                case .requiredAboveLimit, .invalidTitle, .duplicateLanguage: true
                default: false
                }
            }
        }
    }

    /// What is wrong with a draft, in the order of the document.
    package struct Faults: Error {
        /// The first of them: nobody reads more, and a small document can have a great many.
        package private(set) var listed: [Fault] = []
        package private(set) var count = 0

        package static let mostListed = 1_000

        /// How many there are, for people.
        package var sum: String {
            let sum = count == 1 ? "a fault" : "\(count) faults"
            return count > listed.count ? "\(sum), of which the first \(listed.count) are listed" : sum
        }

        mutating func note(_ fault: @autoclosure () -> Fault) {
            if count < Self.mostListed { listed.append(fault()) }
            count += 1
        }
    }

    /// The catalog, where nothing is wrong with it.
    ///
    /// - Parameter previous: the catalog in force, which this one follows as the next revision.
    /// - Throws: every fault at once.
    package func validated(after previous: Catalog?) throws(Faults) -> Catalog {
        try checked(as: (previous?.revision ?? 0) + 1, after: previous) { _ in false }
    }

    /// The catalog that was published as this, maybe under a release that refused less.
    package func published(as revision: Int, layoutRevision: Int) throws(Faults) -> Catalog {
        try checked(as: revision, after: nil, forgiving: \.isForgiven)
            .stored(as: revision, layoutRevision: layoutRevision)
    }

    private func checked(
        as revision: Int, after previous: Catalog?, forgiving isForgiven: @escaping (Fault.Code) -> Bool
    ) throws(Faults) -> Catalog {
        var check = CatalogCheck(self, forgiving: isForgiven)
        let functions = check.run()
        guard check.faults.count == 0 else { throw check.faults }
        return Catalog(valid: self, functions: functions, revision: revision, after: previous)
    }
}
