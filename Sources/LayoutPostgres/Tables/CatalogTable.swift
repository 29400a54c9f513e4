import LayoutApplication
import LayoutRecords

/// `catalogs`: every one that was published; the highest revision is in force.
enum CatalogTable {
    static let columns = "revision, layout_revision, published_at, published_by, document, checksum"

    static func current(on connection: Connection, by deadline: ContinuousClock.Instant) throws -> CatalogRecord? {
        let rows = try connection.read(
            "SELECT \(columns) FROM catalogs ORDER BY revision DESC LIMIT 1", by: deadline)
        return try rows.first.map { try row($0).record() }
    }

    static func catalog(
        revision: Int, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> CatalogRecord? {
        let rows = try connection.read(
            "SELECT \(columns) FROM catalogs WHERE revision = $1", [.integer(Int64(revision))], by: deadline)
        return try rows.first.map { try row($0).record() }
    }

    static func summaries(
        below revision: Int?, limit: Int, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> [CatalogRecord.Summary] {
        let rows = try connection.read(
            """
            SELECT revision, layout_revision, published_at, published_by FROM catalogs
            WHERE revision < $1 ORDER BY revision DESC LIMIT $2
            """, [.integer(Int64(revision ?? .max)), .integer(Int64(max(limit, 0)))], by: deadline)
        return rows.map(summary)
    }

    /// - Returns: false where the revision was taken in the meantime.
    static func add(
        _ record: CatalogRecord, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> Bool {
        let summary = record.summary
        let rows = try connection.commit(
            """
            INSERT INTO catalogs (revision, layout_revision, published_at, published_by, document, checksum)
            SELECT $1, $2, $3, $4, $5, $6 WHERE NOT EXISTS (SELECT 1 FROM catalogs WHERE revision >= $1)
            ON CONFLICT (revision) DO NOTHING RETURNING revision
            """,
            [
                .integer(Int64(summary.revision)), .integer(Int64(summary.layoutRevision)),
                .integer(summary.publishedAt), .text(summary.publishedBy), .bytes(record.document),
                .integer(CatalogRow(record).checksum),
            ], by: deadline)
        return rows.count == 1
    }

    /// Of a row with `columns`.
    static func row(_ row: Rows.Row) -> CatalogRow {
        CatalogRow(CatalogRecord(summary: summary(row), document: row.bytes(4)), checksum: row.integer(5))
    }

    private static func summary(_ row: Rows.Row) -> CatalogRecord.Summary {
        .init(
            revision: Int(row.integer(0)), layoutRevision: Int(row.integer(1)), publishedAt: row.integer(2),
            publishedBy: row.text(3))
    }
}
