/// Why a change is not made. The same case, with the same parameters, whether in a write, a dry run or on the page.
package enum Refusal: Error, Equatable, Sendable {
    // Wrong in any state.
    case invalidIndex(Int)
    case anchorIsSelf(FunctionID)
    case emptyBlock
    case tooManyOperations(count: Int, limit: Int)
    /// `from` names a slot, but not the list in which to count.
    case unknownList

    // Forbidden by the catalog.
    case unknownFunction(FunctionID)
    case functionUnavailable(FunctionID)
    case itemNotMovable(FunctionID)
    case itemNotRemovable(FunctionID)
    case slotPinned(Int, by: FunctionID)
    case sectionFixed(String)
    case duplicateItem(FunctionID, indexes: [Int])
    case pinnedItemMissing(FunctionID, slot: Int)
    case requiredItemMissing(FunctionID)

    // Depends on the list at this moment.
    case favoritesLimit(limit: Int, requested: Int, scope: Scope)
    case favoritesMinimum(minimum: Int, requested: Int, scope: Scope)
    case indexOutOfRange(index: Int, maximum: Int)
    case notAFavorite(FunctionID)
    case anchorAbsent(FunctionID)
    case layoutLocked
    /// The list of that version is not known: it is older than `oldest`, or was never made and is above `newest`.
    case baseExpired(Version, as: VersionUse, oldest: Version?, newest: Version)

    /// What the bound was applied to: one step, which another state can cure, or the whole list as the client wants it.
    package enum Scope: Sendable { case step, wholeList }

    /// What an earlier version was named for: as what a change was made on, or as what is wanted back.
    package enum VersionUse: Sendable { case base, target }
}

/// A refusal, and which of a request's operations it is about.
package struct Rejection: Error, Equatable, Sendable {
    package var refusal: Refusal
    package var operationIndex: Int?

    package init(_ refusal: Refusal, operationIndex: Int? = nil) {
        self.refusal = refusal
        self.operationIndex = operationIndex
    }
}
