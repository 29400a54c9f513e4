import LayoutApplication
import LayoutModel
import LayoutRecords

/// Deletes everything of a user, damaged or not, in one statement; and keeps under a checksum of the id that their versions
/// were used.
enum EraseStatement {
    enum Outcome {
        case nothingThere
        case erased(hadLayout: Bool)
        case cameTooLate
    }

    /// - Parameter seen: the version that was looked at before; nil for whichever there is.
    /// - Throws: `Setback`.
    static func run(
        of user: UserID, at seen: Version?, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> Outcome {
        let found = try connection.read(
            """
            SELECT (SELECT version FROM layouts WHERE user_id = $1),
                EXISTS (SELECT 1 FROM revisions WHERE user_id = $1),
                EXISTS (SELECT 1 FROM idempotency WHERE user_id = $1)
            """, [.text(user.text)], by: deadline)
        guard let row = found.first else { return .nothingThere }
        let version = row.optionalInteger(0)
        if let seen, seen != version ?? 0 { return .cameTooLate }
        let hadLayout = version != nil || row.bool(1)
        guard hadLayout || row.bool(2) else { return .nothingThere }
        let done = try connection.commit(
            text,
            [
                .text(user.text), .integer(version), .integer(ErasedDigest.of(user)), .integer(.mostBelievable),
            ], by: deadline)
        return done.first?.bool(0) == true ? .erased(hadLayout: hadLayout) : .cameTooLate
    }

    /// The rows go where the layout is still at the version that was read, or still missing: a change that another server
    /// makes at the same time would else leave its history behind.
    private static let text = """
        WITH gone AS (
            DELETE FROM layouts WHERE user_id = $1 AND version = $2 RETURNING version
        ), agreed AS (
            SELECT 1 WHERE EXISTS (SELECT 1 FROM gone)
                OR $2 IS NULL AND NOT EXISTS (SELECT 1 FROM layouts WHERE user_id = $1)
        ), history AS (
            DELETE FROM revisions WHERE user_id = $1 AND EXISTS (SELECT 1 FROM agreed) RETURNING version
        ), requests AS (
            DELETE FROM idempotency WHERE user_id = $1 AND EXISTS (SELECT 1 FROM agreed)
        ), used AS (
            SELECT version FROM gone UNION ALL SELECT version FROM history
        ), noted AS (
            INSERT INTO erased AS e (digest, version)
            SELECT $3, max(version) FROM used WHERE version <= $4 HAVING max(version) > 0
            ON CONFLICT (digest) DO UPDATE SET version = greatest(e.version, excluded.version)
        )
        SELECT EXISTS (SELECT 1 FROM agreed)
        """
}
