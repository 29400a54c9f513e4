package import LayoutApplication
package import LayoutModel

/// One line of an export, as an import reads it.
package enum LayoutLine: Sendable {
    /// One user's layout, and what it was where it comes from: nil where the line does not say so, or the user was never
    /// stored. `customized` is taken and not looked at.
    case layout(of: UserID, LayoutCommand, Provenance?)
    /// The last one.
    case end

    /// - Throws: `ContentFault`: what is wrong, and where in the line.
    init(_ line: [UInt8]) throws(ContentFault) {
        let input = try JSONInput(line)
        guard !input.has("exported") else {
            self = .end
            return
        }
        let members = try input.object()
            .only("userId", "version", "customized", "locked", "updatedAt", "favorites")
        let name = try members.required("userId")
        guard let user = UserID(try name.string()) else {
            throw name.fault(.invalidValue, "A user id is \(UserID.allowed).")
        }
        let favorites = try members.required("favorites")
        let list = favorites.isNull ? nil : try favorites.functionIDs()
        if let list, Set(list).count != list.count {
            throw favorites.fault(.invalidValue, "An id stands in the list twice.")
        }
        self = .layout(
            of: user, .adopt(list, locked: try members["locked"]?.bool() ?? false), try Self.provenance(members))
    }

    private static func provenance(_ members: JSONInput.Members) throws(ContentFault) -> Provenance? {
        let version = try members["version"].map { (number) throws(ContentFault) in try Self.version(number) }
        let updatedAt = try members["updatedAt"].flatMap { (time) throws(ContentFault) in try Self.time(time) }
        guard let version, let updatedAt, version > 0 else { return nil }
        return Provenance(version: version, updatedAt: updatedAt)
    }

    private static func version(_ number: JSONInput) throws(ContentFault) -> Version {
        let version = try number.integer()
        // 2⁵¹: far beyond any number of changes, and exact in every JSON reader.
        guard (0...1 << 51).contains(version) else {
            throw number.fault(.invalidValue, "A version is a whole number from 0 to 2251799813685248.")
        }
        return Version(version)
    }

    private static func time(_ time: JSONInput) throws(ContentFault) -> Timestamp? {
        if time.isNull { return nil }
        guard let updatedAt = timestamp(rfc3339: try time.string()) else {
            throw time.fault(.invalidValue, "A time is written as in 2026-11-30T08:15:30.250Z.")
        }
        return updatedAt
    }

    /// One user's layout as it is stored, with the line's end.
    package static func octets(of user: UserID, _ layout: StoredLayout) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("userId", user.text)
            json.storedLayout(layout)
        }
        return json.line
    }

    /// What an export ends with: where it is missing, the export is not whole.
    package static func end(after count: Int) -> [UInt8] {
        var json = JSONWriter()
        json.object { $0.member("exported", count) }
        return json.line
    }
}

extension JSONWriter {
    /// What was written, as one line.
    var line: [UInt8] { octets + [UInt8(ascii: "\n")] }

    /// The members of a layout as it is stored: `favorites` is null while the user follows the defaults.
    mutating func storedLayout(_ layout: StoredLayout) {
        member("version", layout.version)
        member("customized", layout.customized)
        member("locked", layout.locked)
        name("updatedAt")
        if let updatedAt = layout.updatedAt { timestamp(updatedAt) } else { null() }
        name("favorites")
        if let favorites = layout.favorites { ids(favorites) } else { null() }
    }
}
