package import LayoutModel

extension FunctionID: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self = FunctionID(text)! }
}

extension UserID: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self = UserID(text)! }
}

/// A list of ids as it is written in the rules: `ids("a b P c d")`.
package func ids(_ text: String) -> [FunctionID] { text.split(separator: " ").map { FunctionID($0)! } }

/// The same the other way round, for messages.
package func text(_ list: [FunctionID]) -> String { list.map(\.text).joined(separator: " ") }

extension CatalogDraft {
    /// One active, movable function for each id, all of them in the section `all`.
    package static func make(
        _ functions: String, defaults: String? = nil, minimum: Int = 0, limit: Int = 12
    ) -> CatalogDraft {
        let names = functions.split(separator: " ").map(String.init)
        var draft = CatalogDraft()
        draft.policy.minimum = minimum
        draft.policy.limit = limit
        draft.functions = names.map { Function(id: $0, title: Title(["en": $0])) }
        draft.sections = [Section(id: "all", title: Title(["en": "All"]), functions: names)]
        draft.defaults = (defaults ?? "").split(separator: " ").map(String.init)
        return draft
    }

    /// The function with this id, which must be there: `draft["P"].pin = 2`.
    package subscript(id: String) -> Function {
        get { functions[place(of: id)] }
        set { functions[place(of: id)] = newValue }
    }

    private func place(of id: String) -> Int { functions.firstIndex { $0.id == id }! }
}

extension Catalog {
    /// A catalog of one function for each id, changed as a test wants it.
    package static func make(
        _ functions: String, defaults: String? = nil, minimum: Int = 0, limit: Int = 12, after previous: Catalog? = nil,
        _ change: (inout CatalogDraft) -> Void = { _ in }
    ) -> Catalog {
        var draft = CatalogDraft.make(functions, defaults: defaults, minimum: minimum, limit: limit)
        change(&draft)
        do {
            return try draft.validated(after: previous)
        } catch {
            fatalError("the test's own catalog is refused: \(error.listed)")
        }
    }
}

extension Client {
    package static func make(_ user: String = "u1", platform: String? = nil, version: String? = nil) -> Client {
        Client(user: UserID(user)!, platform: platform, appVersion: version.map { AppVersion($0)! })
    }
}

extension Layout {
    /// What a client that says nothing about itself sees of the stored list.
    package static func make(_ stored: String, in catalog: Catalog) -> Layout {
        Layout(healing: ids(stored), catalog: catalog, client: .make())
    }
}
