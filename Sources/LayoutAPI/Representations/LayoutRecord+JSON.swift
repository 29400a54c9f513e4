package import LayoutApplication
package import LayoutModel

/// One user's layout as it is stored: a line of an export, and what an import takes.
package struct LayoutRecord: Sendable {
    package var user: UserID
    package var layout: StoredLayout

    package init(user: UserID, layout: StoredLayout) {
        self.user = user
        self.layout = layout
    }

    /// A JSON object in one line, with the line's end.
    package var line: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("userId", user.text)
            json.storedLayout(layout)
        }
        return json.octets + [UInt8(ascii: "\n")]
    }

    /// What to do with a line. `version`, `customized` and `updatedAt` are taken and not looked at: an imported layout gets
    /// the next version of its place, at the time it comes.
    ///
    /// - Throws: an error whose text says what is wrong, and where in the line.
    package static func command(_ line: [UInt8]) throws -> (user: UserID, command: LayoutCommand) {
        let members = try JSONInput(JSONReader.read(line)).object()
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
        return (user, .adopt(list, locked: try members["locked"]?.bool() ?? false))
    }
}

extension JSONWriter {
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

    /// What became of one imported line.
    package mutating func imported(_ user: UserID, _ result: ChangeResult) {
        object { json in
            json.member("userId", user.text)
            json.member("result", result.changed ? "imported" : "unchanged")
            json.member("version", result.view.stored.version)
            if !result.missing.isEmpty {
                json.name("unknown")
                json.ids(result.missing.map(\.id))
            }
        }
    }
}
