package import LayoutModel

/// One line of an export, as an import reads it.
package enum LayoutLine: Sendable {
    /// One user's layout. `version`, `customized` and `updatedAt` are taken and not looked at: an imported layout gets the
    /// next version of its place, at the time it comes.
    case layout(of: UserID, LayoutCommand)
    /// The last one.
    case end

    /// - Throws: `ContentFault`: what is wrong, and where in the line.
    init(_ line: [UInt8]) throws(ContentFault) {
        let input = JSONInput(try JSONReader.read(line))
        guard !input.has("exported") else {
            self = .end
            return
        }
        let members = try input.object()
            .only("userId", "version", "customized", "locked", "updatedAt", "favorites")
        let name = try members.required("userId")
        guard let user = UserID(try name.string()) else {
            throw name.fault(.invalidValue, "A user id is 1 to 128 bytes of UTF-8 without control characters.")
        }
        let favorites = try members.required("favorites")
        let list = favorites.value == .null ? nil : try favorites.functionIDs()
        if let list, Set(list).count != list.count {
            throw favorites.fault(.invalidValue, "An id stands in the list twice.")
        }
        self = .layout(of: user, .adopt(list, locked: try members["locked"]?.bool() ?? false))
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
