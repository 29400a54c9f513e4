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
        let old = try await pruneRevisions(madeBefore: revisions)
        return try await old + pruneRequests(recordedBefore: requests)
    }

    /// Rows looked at in one go: a few milliseconds of a reader.
    private static let stride = 1_000
    /// Rows deleted in one transaction: those who wait behind it wait little longer than behind a batch of changes.
    private static let deletedAtOnce = 200

    private func pruneRevisions(madeBefore time: Timestamp) async throws -> Int {
        var sweep = RevisionSweep()
        var count = 0
        while true {
            try Task.checkCancellation()
            let rows = try await readers.read { [key = sweep.key] in
                try $0.revisions.sweep(after: key.user, madeBefore: time, limit: Self.stride)
            }
            if rows.isEmpty { return count }
            guard let leaving = sweep.advance(over: rows) else {
                throw StoreError.damaged(what: "the revisions are out of order")
            }
            for start in Swift.stride(from: 0, to: leaving.count, by: Self.deletedAtOnce) {
                let keys = leaving[start..<min(start + Self.deletedAtOnce, leaving.count)]
                // What was old and not the newest when it was read is so now.
                try await writer.change { transaction in
                    try transaction.write { for key in keys { try transaction.tables.revisions.delete(key) } }
                }
                count += keys.count
            }
        }
    }

    private func pruneRequests(recordedBefore time: Timestamp) async throws -> Int {
        var count = 0
        while true {
            try Task.checkCancellation()
            // By a reader: where nothing has to go, the writer is not troubled.
            guard try await readers.read({ try $0.idempotency.hasAny(before: time) }) else { return count }
            let deleted = try await writer.change { transaction in
                try transaction.write {
                    try transaction.tables.idempotency.expire(before: time, limit: Self.deletedAtOnce)
                }
            }
            // An index that names rows which are not there would be asked for ever.
            if deleted == 0 { return count }
            count += deleted
        }
    }
}
