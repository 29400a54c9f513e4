package import LayoutApplication
package import LayoutModel

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
