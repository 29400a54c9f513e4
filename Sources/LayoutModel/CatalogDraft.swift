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
        }
    }

    package struct Faults: Error { package let faults: [Fault] }

    /// The catalog, where nothing is wrong with it.
    ///
    /// - Parameter previous: the catalog in force, which this one follows as the next revision.
    /// - Throws: every fault at once, in the order of the document.
    package func validated(after previous: Catalog?) throws(Faults) -> Catalog {
        var check = CatalogCheck(self)
        let functions = check.run()
        guard check.faults.isEmpty else { throw Faults(faults: check.faults) }
        return Catalog(valid: self, functions: functions, revision: (previous?.revision ?? 0) + 1, after: previous)
    }
}
