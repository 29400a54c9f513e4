import LayoutApplication
import LayoutModel
import Locking

/// Tells the observer of changes: those made here, in the order of their commits, and those found by looking, so that a user's
/// never go back.
final class Teller: Sendable {
    private let state = Mutex(State())

    private struct State {
        var observer: @Sendable ([ChangeFeed.Change]) -> Void = { _ in }
        var watched: @Sendable () -> [UserID] = { [] }
        /// The version last told of each user who is watched.
        var told: [UserID: Version] = [:]
    }

    func observe(
        of watched: @escaping @Sendable () -> [UserID], _ observer: @escaping @Sendable ([ChangeFeed.Change]) -> Void
    ) {
        state.withLock { state in
            state.watched = watched
            state.observer = observer
        }
    }

    /// Tells of what was made here. The lock is held meanwhile: the observer neither blocks nor asks back.
    func tell(_ changes: [ChangeFeed.Change]) {
        guard !changes.isEmpty else { return }
        state.withLock { state in
            for change in changes where state.told[change.user] != nil {
                state.told[change.user] = change.layout.version
            }
            state.observer(changes)
        }
    }

    /// The users who are watched, each with the version last told; -1 before the first.
    func watched() -> [(user: UserID, told: Version)] {
        let users = state.withLock { $0.watched }()
        return state.withLock { state in
            state.told = Dictionary(users.map { ($0, state.told[$0] ?? -1) }) { first, _ in first }
            return state.told.map { (user: $0.key, told: $0.value) }
        }
    }

    /// Tells of what was found by looking, where nothing was told since.
    func tell(found changes: [(change: ChangeFeed.Change, told: Version)]) {
        state.withLock { state in
            let news = changes.filter { state.told[$0.change.user] == $0.told }.map(\.change)
            for change in news { state.told[change.user] = change.layout.version }
            if !news.isEmpty { state.observer(news) }
        }
    }
}
