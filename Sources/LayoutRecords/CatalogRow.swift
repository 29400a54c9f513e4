package import LayoutApplication

/// One row of `catalogs`.
package struct CatalogRow: Sendable {
    package var content: CatalogRecord
    package var checksum: Int64

    /// As it was read.
    package init(_ content: CatalogRecord, checksum: Int64) {
        self.content = content
        self.checksum = checksum
    }

    /// To be written.
    package init(_ record: CatalogRecord) {
        self.init(record, checksum: 0)
        checksum = computedChecksum
    }

    /// - Throws: `StoreError.damaged`.
    package func record() throws -> CatalogRecord {
        try verified(computedChecksum, checksum, "catalog \(content.summary.revision)") { content }
    }

    private var computedChecksum: Int64 {
        let summary = content.summary
        return RowChecksum.of("catalogs") { sum in
            sum.add(summary.revision)
            sum.add(summary.layoutRevision)
            sum.add(summary.publishedAt)
            sum.add(summary.publishedBy)
            sum.add(content.document)
        }
    }
}
