extension Layout {
    /// The layout that an earlier stored list gives today: healed by the catalog in force.
    ///
    /// - Parameters:
    ///   - list: nil goes back to following the defaults.
    ///   - catalog: the one in force.
    ///   - client: who is to be shown the result.
    /// - Returns: the layout, and what of the list could not come back, with the reason.
    package static func reverted(
        to list: [FunctionID]?, catalog: Catalog, client: Client
    ) -> (layout: Layout, missing: [MissingItem]) {
        let layout = Layout(healing: list, catalog: catalog, client: client)
        let missing = (list ?? []).filter { !layout.contains($0) }.map { id in
            MissingItem(id: id, refusal: catalog[id] == nil ? .unknownFunction(id) : .functionUnavailable(id))
        }
        return (layout, missing)
    }
}

/// What an earlier version had and the restored one has not.
package struct MissingItem: Equatable, Sendable {
    package let id: FunctionID
    package let refusal: Refusal

    package init(id: FunctionID, refusal: Refusal) {
        self.id = id
        self.refusal = refusal
    }
}
