import LayoutModel
import LayoutTesting
import Testing

@Suite struct CatalogTests {
    typealias Draft = CatalogDraft

    private func faults(_ change: (inout Draft) -> Void) -> [String] {
        var draft = Draft.make("a b c", defaults: "a b", minimum: 1, limit: 3)
        change(&draft)
        do {
            _ = try draft.validated(after: nil)
            return []
        } catch {
            #expect(error.listed.allSatisfy { !$0.detail.isEmpty })
            return error.listed.map { "\($0.pointer) \($0.code.rawValue)" }
        }
    }

    struct Fault: CustomTestStringConvertible {
        let faults: [String]
        let change: @Sendable (inout Draft) -> Void

        init(_ faults: String..., change: @escaping @Sendable (inout Draft) -> Void) {
            (self.faults, self.change) = (faults, change)
        }

        var testDescription: String { faults.joined(separator: ", ") }
    }

    @Test(
        "each fault has its pointer and its code",
        arguments: [
            Fault("/functions/1/id duplicate_id", "/sections/0/functions/1 unknown_id", "/defaults/1 unknown_id") {
                $0.functions[1].id = "a"
            },
            Fault("/functions/3/id invalid_id") { $0.functions.append(.init(id: "ä", title: Title(["en": "x"]))) },
            Fault("/functions/3/id invalid_id") { $0.functions.append(.init(id: "", title: Title(["en": "x"]))) },
            Fault("/sections/0/functions/3 unknown_id") { $0.sections[0].functions.append("u") },
            Fault("/sections/0/functions/3 duplicate_member") { $0.sections[0].functions.append("a") },
            Fault("/sections/1/functions/0 duplicate_member") {
                $0.sections.append(.init(id: "more", title: Title(["en": "More"]), functions: ["b"]))
            },
            Fault("/sections/1/id duplicate_id") {
                $0.sections.append(.init(id: "all", title: Title(["en": "More"]), functions: []))
            },
            Fault("/sections/0/id duplicate_id") { $0.sections[0].id = "favorites" },
            Fault("/sections/0/id invalid_id") { $0.sections[0].id = "a/b" },
            Fault("/sections/0/title missing_title") { $0.sections[0].title = Title([:]) },
            Fault("/functions/2/pin duplicate_pin") {
                $0.functions[0].pin = 4
                $0.functions[2].pin = 4
            },
            Fault("/functions/0/pin invalid_number") { $0.functions[0].pin = -1 },
            Fault("/functions/0/pin invalid_number") { $0.functions[0].pin = 1_000 },
            Fault("/defaults/2 unknown_id") { $0.defaults.append("u") },
            Fault("/defaults/2 duplicate_member") { $0.defaults.append("a") },
            Fault("/defaults defaults_above_limit") { $0.policy.limit = 1 },
            Fault("/policy/minimum minimum_above_limit") { $0.policy.minimum = 4 },
            Fault("/policy/minimum invalid_number") { $0.policy.minimum = -1 },
            Fault("/policy/limit invalid_number") { $0.policy.limit = 1_001 },
            Fault(
                "/policy/limit invalid_number", "/policy/minimum minimum_above_limit", "/defaults defaults_above_limit"
            ) {
                $0.policy.limit = 0
            },
            Fault("/functions/1/title missing_title") { $0.functions[1].title = Title(["fr": "x"]) },
            Fault("/functions/1/title missing_title") { $0.functions[1].title = Title(["en": ""]) },
            Fault("/functions/1/title/e invalid_language") { $0.functions[1].title.texts["e"] = "x" },
            Fault("/functions/1/title/zh_Hans invalid_language") { $0.functions[1].title.texts["zh_Hans"] = "x" },
            Fault("/functions/1/title/en invalid_title") {
                $0.functions[1].title = Title(["en": String(repeating: "x", count: 201)])
            },
            Fault("/functions/1/title/de invalid_title") { $0.functions[1].title.texts["de"] = "" },
            Fault("/functions/1/title/en invalid_title") { $0.functions[1].title = Title(["en": "two\nlines"]) },
            Fault("/sections/0/title/de invalid_title") { $0.sections[0].title.texts["de"] = "\u{7F}" },
            Fault("/functions/1/title/EN duplicate_language") { $0.functions[1].title.texts["EN"] = "x" },
            Fault("/functions/2/title/zh-hans duplicate_language") {
                $0.functions[1].title.texts["zh-Hans"] = "x"
                $0.functions[2].title.texts["zh-hans"] = "y"
            },
            Fault("/policy/limit required_above_limit") { draft in
                for index in draft.functions.indices { draft.functions[index].isRequired = true }
                draft.policy.limit = 2
            },
            // The sign for kelvin is a K as a String, and no K by its bytes.
            Fault("/functions/4/id invalid_id", "/sections/0/functions/3 unknown_id", "/defaults/2 unknown_id") {
                $0.functions.append(.init(id: "K", title: Title(["en": "x"])))
                $0.functions.append(.init(id: "\u{212A}", title: Title(["en": "x"])))
                $0.sections[0].functions.append("\u{212A}")
                $0.defaults.append("\u{212A}")
            },
            Fault("/functions/0/status invalid_status") { $0.functions[0].status = "gone" },
            Fault("/functions/0/availability/platforms invalid_platform") { $0.functions[0].platforms = [] },
            Fault("/functions/0/availability/platforms/1 invalid_platform") {
                $0.functions[0].platforms = ["ios", "i os"]
            },
            Fault("/functions/0/availability/minimumVersion/ios invalid_version") {
                $0.functions[0].minimumVersion = ["ios": "10."]
            },
            // RFC 6901 §3: ~ and / of a member's name are written ~0 and ~1.
            Fault("/functions/0/availability/minimumVersion/i~0os invalid_version") {
                $0.functions[0].minimumVersion = ["i~os": "10."]
            },
            Fault("/functions/0/availability/minimumVersion/i~1os invalid_platform") {
                $0.functions[0].minimumVersion = ["i/os": "10"]
            },
            Fault("/functions/0/availability/maximumVersion/i~0os invalid_version") {
                $0.functions[0].minimumVersion = ["i~os": "2"]
                $0.functions[0].maximumVersion = ["i~os": "1"]
            },
            Fault("/functions/1/title/a~1b invalid_language") { $0.functions[1].title.texts["a/b"] = "x" },
            Fault("/functions/0/availability/maximumVersion/ios invalid_version") {
                $0.functions[0].maximumVersion = ["ios": "ten"]
            },
            Fault("/functions/0/availability/maximumVersion/ios invalid_version") {
                $0.functions[0].minimumVersion = ["ios": "10.10"]
                $0.functions[0].maximumVersion = ["ios": "10.9"]
            },
            Fault("/functions/0/availability/rollout invalid_rollout") { $0.functions[0].rollout = 101 },
            Fault("/functions/0/availability/rollout invalid_rollout") { $0.functions[0].rollout = -1 },
        ])
    func fault(fault: Fault) {
        #expect(Set(faults(fault.change)) == Set(fault.faults))
    }

    @Test func allFaultsAreNamedAtOnceInTheOrderOfTheDocument() {
        let faults = faults { draft in
            draft.functions[2].rollout = 200
            draft.functions[0].pin = -1
            draft.sections[0].functions.append("u")
            draft.defaults.append("u")
            draft.policy.minimum = 9
        }
        #expect(
            faults == [
                "/policy/minimum minimum_above_limit", "/defaults/2 unknown_id", "/sections/0/functions/3 unknown_id",
                "/functions/0/pin invalid_number", "/functions/2/availability/rollout invalid_rollout",
            ])
    }

    /// A small document can have a great many, and repeat a long text in each.
    @Test func theFirstThousandAreListedAndTheRestCounted() throws {
        var draft = Draft.make("a", defaults: "a")
        draft.sections[0].id = String(repeating: "s", count: 100_000)
        draft.sections[0].functions = Array(repeating: "a", count: 3_000)
        draft.defaults = Array(repeating: "", count: 300_000)
        let faults = try #require(throws: Draft.Faults.self) { _ = try draft.validated(after: nil) }
        #expect(faults.listed.count == 1_000)
        // One default each and all of them; the section's id and all but one of its functions.
        #expect(faults.count == 300_001 + 1 + 2_999)
        #expect(faults.sum == "303001 faults, of which the first 1000 are listed")
        draft.defaults = []
        let long = try #require(throws: Draft.Faults.self) { _ = try draft.validated(after: nil) }
        #expect(long.listed.allSatisfy { $0.detail.utf8.count < 200 })
    }

    /// Stricter rules are for what is to be published: a server starts on what it has.
    @Test func whatAnEarlierReleasePublishedStaysInForce() throws {
        var draft = Draft.make("a b c", defaults: "a", limit: 2)
        for index in draft.functions.indices { draft.functions[index].isRequired = true }
        draft["a"].title.texts["de"] = ""
        draft["b"].title.texts["EN"] = "b\n"
        #expect(throws: Draft.Faults.self) { try draft.validated(after: nil) }
        let catalog = try draft.published(as: 7, layoutRevision: 4)
        #expect(catalog.revision == 7)
        #expect(catalog.layoutRevision == 4)
        #expect(Layout(healing: nil, catalog: catalog, client: .make()).favorites == ids("a b c"))
        draft.defaults = ["u"]
        #expect(throws: Draft.Faults.self) { try draft.published(as: 7, layoutRevision: 4) }
    }

    @Test(
        "at the bounds nothing is wrong",
        arguments: [
            { $0.policy.minimum = 3 }, { $0.policy.limit = 1_000 },
            { $0.functions[0].pin = 999 }, { $0.functions[0].rollout = 0 }, { $0.functions[0].platforms = ["ios"] },
            { $0.functions[0].title = Title(["en": String(repeating: "字", count: 200), "zh-Hans": "x"]) },
            { $0.sections = [] }, { $0.defaults = [] }, { $0.functions[2].status = "retired" },
            { draft in for index in draft.functions.indices { draft.functions[index].isRequired = true } },
            { draft in
                for index in draft.functions.indices { draft.functions[index].isRequired = true }
                draft.functions[2].status = "retired"
                draft.policy.limit = 2
            },
        ] as [@Sendable (inout Draft) -> Void])
    func atTheBounds(change: @Sendable (inout Draft) -> Void) {
        #expect(faults(change) == [])
    }

    @Test func aValidDraftBecomesTheNextRevision() throws {
        var draft = Draft.make("a b", defaults: "b", minimum: 1, limit: 2)
        draft["a"].pin = 1
        draft["a"].minimumVersion = ["ios": "10.2"]
        let first = try draft.validated(after: nil)
        #expect(first.revision == 1)
        #expect(first.defaults == ["b"])
        #expect(first.sections.map(\.functions) == [ids("a b")])
        #expect(first["a"]?.pin == 1)
        #expect(first["a"]?.canMove == false)
        #expect(first["b"]?.canMove == true)
        #expect(first["u"] == nil)
        let second = try draft.validated(after: first)
        #expect(second.revision == 2)
        #expect(second.stored(as: 7, layoutRevision: 4).revision == 7)
        #expect(second.stored(as: 7, layoutRevision: 4).layoutRevision == 4)
    }

    // MARK: What a layout's tag depends on

    private func layoutRevision(_ change: (inout Draft) -> Void) throws -> Int {
        var draft = Draft.make("a b c", defaults: "a b")
        draft["c"].isRequired = true
        let first = try draft.validated(after: nil)
        change(&draft)
        return try draft.validated(after: first).layoutRevision
    }

    @Test func whatNoListDependsOnLeavesTheLayoutRevision() throws {
        #expect(try layoutRevision { _ in } == 1)
        #expect(try layoutRevision { $0["a"].title = Title(["en": "new"]) } == 1)
        #expect(
            try layoutRevision {
                $0["a"].icon = "/new.svg"
                $0["a"].link = "app://new"
            } == 1)
        #expect(try layoutRevision { $0.sections[0].functions.reverse() } == 1)
        #expect(try layoutRevision { $0.functions.reverse() } == 1)
        #expect(try layoutRevision { $0.policy.limit = 2 } == 1)
        #expect(
            try layoutRevision {
                $0["a"].isMovable = false
                $0["a"].isRemovable = false
            } == 1)
    }

    @Test func whatListsDependOnMakesANewLayoutRevision() throws {
        #expect(try layoutRevision { $0["a"].status = "retired" } == 2)
        #expect(try layoutRevision { $0["a"].pin = 3 } == 2)
        #expect(try layoutRevision { $0["a"].isRequired = true } == 2)
        #expect(try layoutRevision { $0["a"].platforms = ["ios"] } == 2)
        #expect(try layoutRevision { $0["a"].minimumVersion = ["ios": "2"] } == 2)
        #expect(try layoutRevision { $0["a"].rollout = 50 } == 2)
        #expect(try layoutRevision { $0.defaults = ["b", "a"] } == 2)
        #expect(try layoutRevision { $0.functions.append(.init(id: "d", title: Title(["en": "d"]))) } == 2)
    }

    @Test func theTagNamesTheCatalogWhereItShapedTheList() throws {
        let catalog = Catalog.make("a b z", defaults: "a") { $0["z"].status = "retired" }
        func tag(_ favorites: String?) -> String {
            let stored = StoredLayout(favorites: favorites.map { ids($0) }, version: 4, updatedAt: 0)
            let layout = Layout(healing: stored.favorites, catalog: catalog, client: .make())
            return LayoutTag(of: stored, as: layout).text
        }
        #expect(tag("a b") == "4")
        #expect(tag("a z") == "4+c1")
        #expect(tag(nil) == "4+c1")
    }

    @Test func aVersionIsNeverHandedOutTwice() {
        #expect(StoredLayout.never.nextVersion(floor: 0) == 1)
        #expect(StoredLayout(favorites: [], version: 7, updatedAt: 0).nextVersion(floor: 0) == 8)
        #expect(StoredLayout(favorites: [], version: 7, updatedAt: 0).nextVersion(floor: 1_000) == 1_001)
        #expect(StoredLayout(favorites: nil, version: 1, updatedAt: 0).customized == false)
        #expect(StoredLayout(favorites: [], version: 1, updatedAt: 0).customized)
    }
}
