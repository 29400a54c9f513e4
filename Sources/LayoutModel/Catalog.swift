/// What the product team publishes: the functions, the sections they stand in, the policy and the default favorites.
/// Immutable and valid: it is made by `CatalogDraft.validated`.
package final class Catalog: Sendable {
    package let revision: Int
    /// The newest revision, this one or an earlier, in which anything changed that a layout's list depends on. A new title
    /// leaves it as it was, and with it every layout's entity tag.
    package let layoutRevision: Int
    package let policy: Policy
    package let defaults: [FunctionID]
    package let sections: [Section]
    package let functions: [Function]
    /// The language that every title has.
    package let defaultLanguage: String

    /// The highest limit. More would make a page that nobody can use, and rows without bound.
    package static let mostFavorites = 1_000

    /// The pinned functions, lowest slot first.
    let pins: [Pin]
    /// The required functions, in the catalog's order.
    let required: [Function]
    private let places: FunctionTable
    /// Of each function, whether it is there for everybody and stands where its user wants it: nearly all are, and nothing else
    /// of them has to be looked at.
    private let plain: [Bool]
    /// The languages in which any title is written, the default one first.
    package let languages: [String]

    /// How many favorites a user may have.
    package struct Policy: Equatable, Sendable {
        package var minimum: Int
        package var limit: Int
    }

    package struct Section: Sendable {
        package var id: String
        package var title: Title
        package var functions: [FunctionID]
    }

    struct Pin {
        let id: FunctionID
        let slot: Int
    }

    /// `valid` must have passed `CatalogDraft.faults`; `previous` is the catalog that this one follows.
    init(valid draft: CatalogDraft, functions: [Function], revision: Int, after previous: Catalog?) {
        self.revision = revision
        self.functions = functions
        policy = draft.policy
        defaults = draft.defaults.compactMap { FunctionID($0) }
        sections = draft.sections.map {
            Section(id: $0.id, title: $0.title, functions: $0.functions.compactMap { FunctionID($0) })
        }
        defaultLanguage = draft.defaultLanguage
        pins = functions.compactMap { function in function.pin.map { Pin(id: function.id, slot: $0) } }
            .sorted { $0.slot < $1.slot }
        required = functions.filter(\.isRequired)
        places = FunctionTable(functions.map(\.id))
        plain = functions.map { $0.status == .active && $0.availability.isEveryone && $0.pin == nil }
        languages = Self.languages(sections, functions, first: defaultLanguage)
        layoutRevision =
            if let previous, Self.makeEqualLayouts(functions, defaults, previous) { previous.layoutRevision } else {
                revision
            }
    }

    /// The same catalog under the number it was stored with.
    package func stored(as revision: Int, layoutRevision: Int) -> Catalog {
        Catalog(copying: self, revision: revision, layoutRevision: layoutRevision)
    }

    private init(copying other: Catalog, revision: Int, layoutRevision: Int) {
        self.revision = revision
        self.layoutRevision = layoutRevision
        policy = other.policy
        defaults = other.defaults
        sections = other.sections
        functions = other.functions
        defaultLanguage = other.defaultLanguage
        pins = other.pins
        required = other.required
        places = other.places
        plain = other.plain
        languages = other.languages
    }

    package subscript(id: FunctionID) -> Function? { places[id].map { functions[$0] } }

    /// Where the function stands among `functions`: to look at one without a copy of all that it consists of.
    package func place(of id: FunctionID) -> Int? { places[id] }

    func isPlain(_ place: Int) -> Bool { plain[place] }

    /// The place of the function, where this client can have it now.
    package func available(_ id: FunctionID, to client: Client) -> Int? {
        guard let place = places[id], plain[place] || functions[place].isAvailable(to: client) else { return nil }
        return place
    }

    /// Whether healing gives the same lists under both: all that it looks at is the same.
    private static func makeEqualLayouts(_ functions: [Function], _ defaults: [FunctionID], _ other: Catalog) -> Bool {
        guard defaults == other.defaults, functions.count == other.functions.count else { return false }
        return functions.allSatisfy { one in
            guard let two = other[one.id] else { return false }
            return one.pin == two.pin && one.isRequired == two.isRequired && one.status == two.status
                && one.availability == two.availability
        } && functions.filter(\.isRequired).map(\.id) == other.required.map(\.id)
    }
}

/// A text in several languages, by language tag (`en`, `zh-Hans`).
package struct Title: Equatable, Sendable {
    package var texts: [String: String]

    package init(_ texts: [String: String]) { self.texts = texts }

    /// The text in `language`, or in the one that every title has.
    package func text(in language: String, or fallback: String) -> String { texts[language] ?? texts[fallback] ?? "" }
}

extension Catalog {
    private static func languages(_ sections: [Section], _ functions: [Function], first: String) -> [String] {
        var all = Set(sections.flatMap { $0.title.texts.keys })
        for function in functions { all.formUnion(function.title.texts.keys) }
        all.remove(first)
        return [first] + all.sorted()
    }
}
