package import LayoutApplication
package import LayoutModel
import LayoutRecords

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

    package func erase(
        _ user: UserID, if check: @escaping @Sendable (StoredLayout?) throws -> Void
    ) async throws -> Bool {
        try await writer.change { transaction in
            let tables = transaction.tables
            try check(transaction.undamagedLayout(of: user))
            let hadLayout = try tables.layouts.holds(user) || tables.revisions.holds(user)
            guard try hadLayout || tables.idempotency.holds(user) else { return false }
            try transaction.write {
                // As the rows stand there, without their checksums: what is damaged has to go as well.
                let used = try tables.revisions.erase(user) + [tables.layouts.erase(user) ?? 0]
                try tables.idempotency.erase(user)
                let last = used.filter { $0 <= .mostBelievable }.max() ?? 0
                if last > 0 { try tables.erased.note(last, of: user) }
            }
            if hadLayout { transaction.note(.never, of: user, origin: "") }
            return true
        }
    }

    package func prune(revisionsBefore revisions: Timestamp, requestsBefore requests: Timestamp) async throws -> Int {
        let old = try await RevisionSweep.run { key in
            try await readers.read {
                try $0.revisions.sweep(after: key.user, madeBefore: revisions, limit: RevisionSweep.stride)
            }
        } delete: { keys in
            try await writer.change { transaction in
                try transaction.write { for key in keys { try transaction.tables.revisions.delete(key) } }
            }
            return keys.count
        }
        return try await old + pruneRequests(recordedBefore: requests)
    }

    private func pruneRequests(recordedBefore time: Timestamp) async throws -> Int {
        var count = 0
        while true {
            try Task.checkCancellation()
            // By a reader: where nothing has to go, the writer is not troubled.
            guard try await readers.read({ try $0.idempotency.hasAny(before: time) }) else { return count }
            let deleted = try await writer.change { transaction in
                try transaction.write {
                    try transaction.tables.idempotency.expire(before: time, limit: RevisionSweep.deletedAtOnce)
                }
            }
            // An index that names rows which are not there would be asked for ever.
            if deleted == 0 { return count }
            count += deleted
        }
    }
}
