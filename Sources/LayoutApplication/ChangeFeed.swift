package import LayoutModel
import Locking

/// Tells those who watch a user's layout of each new version, in the order of the commits. Nothing is kept for those who
/// come later: what a watcher has missed stands in the history.
package final class ChangeFeed: Sendable {
    private let shards: [Shard]
    private let isClosed = Mutex(false)

    /// Many watchers, many users: a commit locks the few that it concerns.
    private final class Shard: Sendable {
        let watchers = Mutex<[UserID: [ObjectIdentifier: Watcher]]>([:])
    }

    package init() { shards = (0..<64).map { _ in Shard() } }

    /// One change that has become durable.
    package struct Change: Sendable {
        package let user: UserID
        package let layout: StoredLayout
        package let origin: String

        package init(user: UserID, layout: StoredLayout, origin: String) {
            self.user = user
            self.layout = layout
            self.origin = origin
        }
    }

    /// Begins to watch: whatever is committed from now on reaches the watcher, until it ends.
    package func watch(_ user: UserID) -> Watcher {
        let shard = shard(of: user)
        let watcher = Watcher { [weak shard] watcher in
            shard?.watchers.withLock { watchers in
                watchers[user]?[ObjectIdentifier(watcher)] = nil
                if watchers[user]?.isEmpty == true { watchers[user] = nil }
            }
        }
        shard.watchers.withLock { $0[user, default: [:]][ObjectIdentifier(watcher)] = watcher }
        if isClosed.withLock({ $0 }) { watcher.end() }
        return watcher
    }

    /// Called by the store with what one commit made durable, in its order.
    package func publish(_ changes: [Change]) {
        for change in changes {
            let watchers = shard(of: change.user).watchers.withLock { $0[change.user].map { Array($0.values) } ?? [] }
            for watcher in watchers { watcher.take(.change(change)) }
        }
    }

    /// Another catalog is in force: whoever watches may see another list of the same version.
    package func publishCatalog() { broadcast(.catalog) }

    /// Time for a sign of life.
    package func beat() { broadcast(.heartbeat) }

    /// Ends everybody who watches, and whoever begins to: the server is shutting down.
    package func close() {
        isClosed.withLock { $0 = true }
        for watcher in watchers { watcher.end() }
    }

    /// Who is watched at present.
    package var watchedUsers: [UserID] { shards.flatMap { $0.watchers.withLock { Array($0.keys) } } }

    /// How many watch at present.
    package var count: Int { shards.reduce(0) { $0 + $1.watchers.withLock { $0.values.reduce(0) { $0 + $1.count } } } }

    private func broadcast(_ event: Watcher.Event) {
        for watcher in watchers { watcher.take(event) }
    }

    private var watchers: [Watcher] { shards.flatMap { $0.watchers.withLock { $0.values.flatMap(\.values) } } }

    private func shard(of user: UserID) -> Shard { shards[Int(user.spread % UInt(shards.count))] }
}
