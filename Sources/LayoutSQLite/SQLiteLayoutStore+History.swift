package import LayoutApplication
package import LayoutModel

/// The port's history, and what takes things out of it again.
extension SQLiteLayoutStore {
    package func revisions(of user: UserID, below version: Version?, limit: Int) async throws -> [Revision] {
        try await readers.read { try $0.revisions.revisions(of: user, below: version ?? .max, limit: limit) }
    }

    package func revision(_ version: Version, of user: UserID) async throws -> Revision? {
        try await readers.read { try $0.revisions.revision(version, of: user) }
    }

    package func recordedRequests(of user: UserID) async throws -> [RecordedRequest] {
        try await readers.read { try $0.idempotency.requests(of: user) }
    }

    package func erase(_ user: UserID) async throws -> Bool {
        try await writer.change { transaction in
            let tables = transaction.tables
            let version = try transaction.layout(of: user).version
            let requests = try tables.idempotency.requests(of: user)
            guard version > 0 || !requests.isEmpty else { return false }
            try transaction.write {
                try tables.layouts.erase(user)
                try tables.revisions.erase(user)
                try tables.idempotency.erase(user)
                if version > 0 { try tables.erased.note(version, of: user) }
            }
            transaction.note(.never, of: user, origin: "")
            return true
        }
    }

    package func prune(revisionsBefore revisions: Timestamp, requestsBefore requests: Timestamp) async throws -> Int {
        let old = try await pruneRevisions(madeBefore: revisions)
        return try await old + pruneRequests(recordedBefore: requests)
    }

    /// Rows looked at, or deleted, in one go: a few milliseconds, after which others have their turn.
    private static let stride = 1_000

    private func pruneRevisions(madeBefore time: Timestamp) async throws -> Int {
        var key = (user: "", version: Version(0))
        var count = 0
        while true {
            let rows = try await readers.read { [key] in
                try $0.revisions.sweep(after: key, madeBefore: time, limit: Self.stride)
            }
            guard let last = rows.last else { return count }
            key = (last.user, last.version)
            let leaving = rows.filter(\.mayGo)
            if leaving.isEmpty { continue }
            try await writer.change { transaction in
                try transaction.write {
                    for row in leaving { try transaction.tables.revisions.delete(row.version, of: row.user) }
                }
            }
            count += leaving.count
        }
    }

    private func pruneRequests(recordedBefore time: Timestamp) async throws -> Int {
        var count = 0
        while true {
            let deleted = try await writer.change { transaction in
                try transaction.write { try transaction.tables.idempotency.expire(before: time, limit: Self.stride) }
            }
            if deleted == 0 { return count }
            count += deleted
        }
    }
}
