package import LayoutApplication
package import LayoutModel

/// Something that is not as it should be in a database.
package struct Finding: Equatable, Sendable, CustomStringConvertible {
    /// The table, or `file` for what SQLite says of its pages.
    package let table: String
    /// Whose row it is: a user, a catalog's revision. Empty where it is no single row.
    package let key: String
    package let problem: String

    package init(table: String, key: String, problem: String) {
        self.table = table
        self.key = key
        self.problem = problem
    }

    package var description: String { key.isEmpty ? "\(table): \(problem)" : "\(table): \(key): \(problem)" }
}

/// What a look at a whole database came to.
package struct AuditReport: Equatable, Sendable {
    package var census = Census()
    /// The first 1,000.
    package private(set) var findings: [Finding] = []
    package private(set) var findingCount = 0

    package init() {}

    package mutating func find(_ table: String, _ key: String, _ problem: String) {
        findingCount += 1
        if findings.count < 1_000 { findings.append(Finding(table: table, key: key, problem: problem)) }
    }

    /// Earlier releases took `me` for a user's id. For whoever verifies, and for no copy: nothing is wrong with the rows.
    package mutating func findUserCalledMe() {
        find(
            "layouts", "me",
            "nobody can reach it, for 'me' is whoever asks: delete its rows of layouts, revisions and idempotency")
    }

    /// What no layout can be, whatever its checksum says.
    package mutating func check(_ layout: StoredLayout, in table: String, _ key: String) {
        if table == "layouts" { census.newestVersion = max(census.newestVersion, layout.version) }
        let what = "version \(layout.version)"
        if !(1...Version.mostBelievable).contains(layout.version) { find(table, key, "\(what) cannot be") }
        if let list = layout.favorites, Set(list).count != list.count {
            find(table, key, "\(what): the items hold one twice")
        }
    }

    /// Versions follow without gaps, but where a restore raised the floor.
    package func mayFollow(_ version: Version, _ previous: Version) -> Bool {
        version == previous &+ 1
            || (version > previous && version &- 1 <= census.versionFloor && (version &- 1) % VersionFloor.step == 0)
    }

    /// - Parameter previous: the layout revision of the catalog before it, raised by this one.
    package mutating func check(
        _ record: CatalogRecord, after previous: inout Int, _ read: (CatalogRecord) throws -> Void
    ) {
        let (key, revision) = ("\(record.summary.revision)", record.summary.revision)
        let layoutRevision = record.summary.layoutRevision
        census.newestCatalog = max(census.newestCatalog, revision)
        if revision < 1 { find("catalogs", key, "revision \(revision) cannot be") }
        if !(max(previous, 1)...max(previous, 1, revision)).contains(layoutRevision) {
            find("catalogs", key, "its layout revision \(layoutRevision) cannot be")
        }
        previous = max(previous, layoutRevision)
        do { try read(record) } catch { find("catalogs", key, "the document is no catalog: \(error)") }
    }

    package mutating func check(identity: String, versionFloor: Version) {
        census.databaseID = identity
        census.versionFloor = versionFloor
        let isHexadecimal = identity.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        if identity.utf8.count != 32 || !isHexadecimal { find("identity", "", "the id '\(identity)' is none") }
        if !(0...Version.mostBelievable).contains(versionFloor) {
            find("identity", "", "the version floor \(versionFloor) cannot be")
        }
    }

    package mutating func check(erased digest: Int64, version: Version) {
        if !(0...Int64(UInt32.max)).contains(digest) || !(1...Version.mostBelievable).contains(version) {
            find("erased", "\(digest)", "version \(version) cannot be")
        } else {
            census.newestVersion = max(census.newestVersion, version)
        }
    }
}

/// What is in a database.
package struct Census: Equatable, Sendable {
    package var databaseID = ""
    package var versionFloor: Version = 0
    package var layouts = 0
    package var revisions = 0
    package var requests = 0
    package var catalogs = 0
    package var erased = 0
    /// The highest version that any user had, and the highest revision of a catalog.
    package var newestVersion: Version = 0
    package var newestCatalog = 0

    package init() {}

    package var rows: Int { layouts + revisions + requests + catalogs + erased }
}

/// How far a long piece of work is.
package struct WorkProgress: Equatable, Sendable {
    package enum Step: String, Sendable {
        case copying, checkingPages, checkingRows
    }

    package let step: Step
    /// In bytes where it copies, in rows where it checks them.
    package let done: Int
    /// 0 where nobody knows.
    package let total: Int

    package init(step: Step, done: Int, total: Int) {
        self.step = step
        self.done = done
        self.total = total
    }

    package typealias Observer = @Sendable (WorkProgress) -> Void
}
