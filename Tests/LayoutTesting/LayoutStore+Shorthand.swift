package import LayoutApplication
package import LayoutModel
import Locking

// Short words for tests: `try await store.put(["a", "b"], of: "u1")`.

extension LayoutTransaction {
    /// `favorites` as the next version.
    package func change(
        to favorites: [FunctionID]?, locked: Bool = false, kind: LayoutChange.Kind = .operations,
        at time: Timestamp = 1_000
    ) -> LayoutChange {
        let version = current.nextVersion(floor: versionFloor)
        return LayoutChange(
            layout: StoredLayout(favorites: favorites, version: version, locked: locked, updatedAt: time), kind: kind,
            origin: "test")
    }
}

extension LayoutStore {
    /// Of what is done here.
    package func observeChanges(_ observer: @escaping @Sendable ([ChangeFeed.Change]) -> Void) {
        observeChanges(of: { [] }, observer)
    }

    /// `update`, with what the decision hands back.
    package func update<Value: Sendable>(
        _ user: UserID, request: IdempotentRequest?,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Value>
    ) async throws -> Settled<Value> {
        let decided = Mutex<Value?>(nil)
        let settled = try await update(user, request: request) { transaction in
            let decision = try decide(transaction)
            decided.withLock { $0 = decision.value }
            return Decision(change: decision.change, value: (), answer: decision.answer)
        }
        switch (settled, decided.withLock({ $0 })) {
        case (.replayed(let answer), _): return .replayed(answer)
        case (.decided, let value?): return .decided(value)
        case (.decided, nil): preconditionFailure("a store settled what was never decided")
        }
    }

    @discardableResult
    package func put(_ favorites: [FunctionID]?, locked: Bool = false, of user: UserID) async throws -> StoredLayout {
        let settled = try await update(user, request: nil) { transaction in
            let change = transaction.change(to: favorites, locked: locked)
            return Decision(change: change, value: change.layout)
        }
        guard case .decided(let layout) = settled else { preconditionFailure("nothing to replay without a request") }
        return layout
    }

    /// Adds to what is there: read, decide, write.
    package func append(_ id: FunctionID, to user: UserID) async throws {
        _ = try await update(user, request: nil) { transaction in
            let favorites = transaction.current.favorites ?? []
            guard !favorites.contains(id) else { return Decision(change: nil, value: ()) }
            return Decision(change: transaction.change(to: favorites + [id]), value: ())
        }
    }

    /// Whatever the layout is.
    package func erase(_ user: UserID) async throws -> Bool { try await erase(user) { _ in } }

    package func list(of user: UserID, at version: Version) async throws -> PastList {
        let settled = try await update(user, request: nil) { transaction in
            Decision(change: nil, value: try transaction.list(at: version))
        }
        guard case .decided(let list) = settled else { preconditionFailure("nothing to replay without a request") }
        return list
    }
}
