import LayoutApplication
import LayoutModel

extension JSONWriter {
    /// One version as the history has it. `favorites` is the stored list, null while the user followed the defaults.
    mutating func revision(_ revision: Revision) {
        object { json in
            json.member("version", revision.layout.version)
            json.name("updatedAt")
            if let updatedAt = revision.layout.updatedAt { json.timestamp(updatedAt) } else { json.null() }
            json.member("kind", revision.kind.rawValue)
            json.member("origin", revision.origin)
            json.member("actor", revision.actor)
            json.member("customized", revision.layout.customized)
            json.member("locked", revision.layout.locked)
            json.name("favorites")
            if let favorites = revision.layout.favorites { json.ids(favorites) } else { json.null() }
        }
    }
}
