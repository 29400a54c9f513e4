package import LayoutApplication
package import LayoutModel
import LayoutRecords

/// The port's history, and what takes things out of it again.
extension PostgresLayoutStore {
    package func revisions(of user: UserID, below version: Version?, limit: Int) async throws -> [Revision] {
        try await pool.perform {
            try RevisionTable.revisions(of: user, below: version ?? .max, limit: limit, on: $0, by: $1)
        }
    }

    package func revision(_ version: Version, of user: UserID) async throws -> Revision? {
        try await pool.perform { try RevisionTable.revision(version, of: user, on: $0, by: $1) }
    }

    package func recordedRequests(of user: UserID) async throws -> [RecordedRequest] {
        try await pool.perform { try IdempotencyTable.requests(of: user, on: $0, by: $1) }
    }

    package func prune(revisionsBefore revisions: Timestamp, requestsBefore requests: Timestamp) async throws -> Int {
        let old = try await pruneRevisions(madeBefore: revisions)
        return try await old + pruneRequests(recordedBefore: requests)
    }

    /// Rows looked at in one go: a few milliseconds of the server.
    private static let stride = 1_000
    /// Rows deleted in one transaction.
    private static let deletedAtOnce = 200

    private func pruneRevisions(madeBefore time: Timestamp) async throws -> Int {
        var sweep = RevisionSweep()
        var count = 0
        while true {
            try Task.checkCancellation()
            let rows = try await pool.perform { [key = sweep.key] in
                try RevisionTable.sweep(after: key, madeBefore: time, limit: Self.stride, on: $0, by: $1)
            }
            if rows.isEmpty { return count }
            guard let leaving = sweep.advance(over: rows) else {
                throw StoreError.damaged(what: "the revisions are out of order")
            }
            for start in Swift.stride(from: 0, to: leaving.count, by: Self.deletedAtOnce) {
                let keys = leaving[start..<min(start + Self.deletedAtOnce, leaving.count)]
                // What was old and not the newest when it was read is so now.
                count += try await pool.perform { try RevisionTable.delete(keys, on: $0, by: $1) }
            }
        }
    }

    private func pruneRequests(recordedBefore time: Timestamp) async throws -> Int {
        var count = 0
        while true {
            try Task.checkCancellation()
            let deleted = try await pool.perform {
                try IdempotencyTable.expire(before: time, limit: Self.deletedAtOnce, on: $0, by: $1)
            }
            if deleted == 0 { return count }
            count += deleted
        }
    }
}
