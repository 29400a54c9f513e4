/// The effective list: what one client sees as the favorites, and what may be done to it. All operations act on it.
///
/// ```
/// var layout = Layout(healing: stored.favorites, catalog: catalog, client: client)
/// try layout.move(mail, to: .before(calendar))
/// let list = layout.stored(over: stored.favorites)
/// ```
package struct Layout: Sendable {
    package internal(set) var favorites: [FunctionID]
    package let catalog: Catalog
    package let client: Client

    /// Whether `id` is in the list.
    package func contains(_ id: FunctionID) -> Bool { favorites.contains(id) }

    /// Runs a request's operations in order, each on the result of the one before; all or none is applied.
    ///
    /// - Throws: the first refusal, with the operation that met it. What is wrong in any state comes before all else.
    /// - Returns: an outcome for each operation.
    package mutating func apply(_ operations: [Operation]) throws(Rejection) -> [Outcome] {
        try Self.checkShape(of: operations)
        let before = favorites
        var outcomes: [Outcome] = []
        outcomes.reserveCapacity(operations.count)
        for (index, operation) in operations.enumerated() {
            do throws(Refusal) {
                outcomes.append(try apply(operation))
            } catch {
                favorites = before
                throw Rejection(error, operationIndex: index)
            }
        }
        return outcomes
    }

    static func checkShape(of operations: [Operation]) throws(Rejection) {
        guard operations.count <= Operation.mostInOneRequest else {
            throw Rejection(.tooManyOperations(count: operations.count, limit: Operation.mostInOneRequest))
        }
        for (index, operation) in operations.enumerated() {
            do throws(Refusal) {
                try operation.checkShape()
            } catch {
                throw Rejection(error, operationIndex: index)
            }
        }
    }

    private mutating func apply(_ operation: Operation) throws(Refusal) -> Outcome {
        let before = favorites
        let kind: Outcome.Kind
        let items: [FunctionID]
        switch operation {
        case .move(let subject, let placement):
            kind = .move
            try placement.checkSection()
            items = try self.items(of: subject)
            try move(items, to: placement.destination)
        case .add(let id, let placement):
            kind = .add
            try placement?.checkSection()
            items = [id]
            try add(id, at: placement?.destination)
        case .remove(let id):
            kind = .remove
            items = [id]
            try remove(id)
        }
        return Outcome(operation: kind, items: items, result: favorites == before ? .unchanged : .applied)
    }

    /// What a move is about: a slot is looked up in this list.
    func items(of subject: Operation.Subject) throws(Refusal) -> [FunctionID] {
        switch subject {
        case .item(let id): return [id]
        case .block(let ids): return ids
        case .slot(let slot):
            guard favorites.indices.contains(slot) else {
                throw .indexOutOfRange(index: slot, maximum: favorites.count - 1)
            }
            return [favorites[slot]]
        }
    }
}
