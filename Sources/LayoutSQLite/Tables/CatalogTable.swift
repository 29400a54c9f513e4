import LayoutApplication
import LayoutRecords

/// `catalogs`: every one that was published; the highest revision is in force.
struct CatalogTable {
    private let selectNewest: Statement
    private let selectOne: Statement
    private let selectSummaries: Statement
    private let insert: Statement

    init(_ connection: Connection) throws {
        selectNewest = try connection.prepare(
            """
            SELECT revision, layout_revision, published_at, published_by, document, checksum FROM catalogs
            ORDER BY revision DESC LIMIT 1
            """)
        selectOne = try connection.prepare(
            """
            SELECT revision, layout_revision, published_at, published_by, document, checksum FROM catalogs
            WHERE revision = ?1
            """)
        selectSummaries = try connection.prepare(
            """
            SELECT revision, layout_revision, published_at, published_by FROM catalogs
            WHERE revision < ?1 ORDER BY revision DESC LIMIT ?2
            """)
        insert = try connection.prepare(
            """
            INSERT INTO catalogs (revision, layout_revision, published_at, published_by, document, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
    }

    func current() throws -> CatalogRecord? { try selectNewest.first(read: Self.record) }

    func catalog(revision: Int) throws -> CatalogRecord? { try selectOne.first(revision, read: Self.record) }

    func summaries(below revision: Int?, limit: Int) throws -> [CatalogRecord.Summary] {
        // SQLite takes a negative limit for none.
        try selectSummaries.all(revision ?? .max, max(limit, 0), read: Self.summary)
    }

    func add(_ record: CatalogRecord) throws {
        let summary = record.summary
        try insert.run(
            summary.revision, summary.layoutRevision, summary.publishedAt, summary.publishedBy, record.document,
            CatalogRow(record).checksum)
    }

    /// Of a row as those of `selectNewest`.
    static func record(_ row: Row) throws -> CatalogRecord {
        try CatalogRow(
            CatalogRecord(summary: summary(row), document: row.bytes(4)), checksum: row.integer(5)
        ).record()
    }

    private static func summary(_ row: Row) -> CatalogRecord.Summary {
        .init(
            revision: Int(row.integer(0)), layoutRevision: Int(row.integer(1)), publishedAt: row.integer(2),
            publishedBy: row.text(3))
    }
}
