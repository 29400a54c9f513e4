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
        let old = try await RevisionSweep.run { key in
            try await pool.perform {
                try RevisionTable.sweep(
                    after: key, madeBefore: revisions, limit: RevisionSweep.stride, on: $0, by: $1)
            }
        } delete: { keys in
            try await pool.perform { try RevisionTable.delete(keys, on: $0, by: $1) }
        }
        return try await old + pruneRequests(recordedBefore: requests)
    }

    private func pruneRequests(recordedBefore time: Timestamp) async throws -> Int {
        var count = 0
        while true {
            try Task.checkCancellation()
            let deleted = try await pool.perform {
                try IdempotencyTable.expire(before: time, limit: RevisionSweep.deletedAtOnce, on: $0, by: $1)
            }
            if deleted == 0 { return count }
            count += deleted
        }
    }
}
