package import LayoutApplication
import LayoutModel

extension CatalogCoding {
    /// What is taken over HTTP, in octets.
    static let longestDocument = 4 << 20

    /// The catalog as JSON: what is published, kept and served.
    package static let json = CatalogCoding(
        decode: { try JSONInput($0).catalog() },
        encode: { catalog in
            var json = JSONWriter(reserving: 32 * 1_024)
            json.catalog(catalog)
            return json.octets
        })
}

// MARK: Reading

extension JSONInput {
    /// `revision` is taken and not looked at: who edits what GET gave sends it along, and the server counts.
    func catalog() throws(ContentFault) -> CatalogDraft {
        let members = try object().only("revision", "defaultLanguage", "policy", "defaults", "sections", "functions")
        var draft = CatalogDraft()
        _ = try members["revision"]?.integer()
        if let language = try members["defaultLanguage"]?.string() { draft.defaultLanguage = language }
        let policy = try members.required("policy").object().only("minimum", "limit")
        draft.policy.minimum = try policy["minimum"]?.integer() ?? 0
        draft.policy.limit = try policy.required("limit").integer()
        draft.defaults = try members.required("defaults").texts()
        draft.sections = try members.required("sections").array { (input) throws(ContentFault) in try input.section() }
        draft.functions = try members.required("functions").array { (input) throws(ContentFault) in try input.function()
        }
        return draft
    }

    private func texts() throws(ContentFault) -> [String] {
        try array { (input) throws(ContentFault) in try input.string() }
    }

    private func textsByName() throws(ContentFault) -> [String: String] {
        try dictionary { (input) throws(ContentFault) in try input.string() }
    }

    private func section() throws(ContentFault) -> CatalogDraft.Section {
        let members = try object().only("id", "title", "functions")
        return CatalogDraft.Section(
            id: try members.required("id").string(), title: Title(try members.required("title").textsByName()),
            functions: try members.required("functions").texts())
    }

    private func function() throws(ContentFault) -> CatalogDraft.Function {
        let members = try object().only(
            "id", "title", "icon", "link", "movable", "removable", "required", "pin", "status", "availability")
        var function = CatalogDraft.Function(
            id: try members.required("id").string(), title: Title(try members.required("title").textsByName()))
        function.icon = try members["icon"]?.string()
        function.link = try members["link"]?.string()
        function.isMovable = try members["movable"]?.bool() ?? true
        function.isRemovable = try members["removable"]?.bool() ?? true
        function.isRequired = try members["required"]?.bool() ?? false
        function.pin = try members["pin"]?.integer()
        function.status = try members["status"]?.string() ?? "active"
        if let availability = members["availability"] { try availability.availability(into: &function) }
        return function
    }

    private func availability(into function: inout CatalogDraft.Function) throws(ContentFault) {
        let members = try object().only("platforms", "minimumVersion", "maximumVersion", "rollout")
        function.platforms = try members["platforms"]?.texts()
        function.minimumVersion = try members["minimumVersion"]?.textsByName() ?? [:]
        function.maximumVersion = try members["maximumVersion"]?.textsByName() ?? [:]
        function.rollout = try members["rollout"]?.integer() ?? 100
    }
}

// MARK: Writing

extension JSONWriter {
    /// In one canonical form: members in the order of the documentation, what is at its default left out.
    fileprivate mutating func catalog(_ catalog: Catalog) {
        object { json in
            json.member("revision", catalog.revision)
            if catalog.defaultLanguage != "en" { json.member("defaultLanguage", catalog.defaultLanguage) }
            json.name("policy")
            json.object { json in
                json.member("minimum", catalog.policy.minimum)
                json.member("limit", catalog.policy.limit)
            }
            json.name("defaults")
            json.ids(catalog.defaults)
            json.name("sections")
            json.array(catalog.sections) { json, section in
                json.object { json in
                    json.member("id", section.id)
                    json.texts("title", section.title.texts)
                    json.name("functions")
                    json.ids(section.functions)
                }
            }
            json.name("functions")
            json.array(catalog.functions) { $0.function($1) }
        }
    }

    private mutating func function(_ function: Function) {
        object { json in
            json.member("id", function.id.text)
            json.texts("title", function.title.texts)
            if let icon = function.icon { json.member("icon", icon) }
            if let link = function.link { json.member("link", link) }
            if !function.isMovable { json.member("movable", false) }
            if !function.isRemovable { json.member("removable", false) }
            if function.isRequired { json.member("required", true) }
            if let pin = function.pin { json.member("pin", pin) }
            if function.status != .active { json.member("status", function.status.rawValue) }
            if function.availability != .everyone { json.availability(function.availability) }
        }
    }

    private mutating func availability(_ availability: Availability) {
        name("availability")
        object { json in
            if let platforms = availability.platforms {
                json.name("platforms")
                json.array(platforms) { $0.string($1) }
            }
            if !availability.minimumVersion.isEmpty {
                json.texts("minimumVersion", availability.minimumVersion.mapValues(\.text))
            }
            if !availability.maximumVersion.isEmpty {
                json.texts("maximumVersion", availability.maximumVersion.mapValues(\.text))
            }
            if availability.rollout != 100 { json.member("rollout", availability.rollout) }
        }
    }

    private mutating func texts(_ name: StaticString, _ texts: [String: String]) {
        self.name(name)
        object { json in
            for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
                json.name(key)
                json.string(text)
            }
        }
    }
}
