package import LayoutModel

/// One published catalog.
package struct CatalogRecord: Sendable, Equatable {
    package var summary: Summary
    /// The catalog as JSON, in the canonical form that is also served.
    package var document: [UInt8]

    package struct Summary: Sendable, Equatable {
        package var revision: Int
        /// See `Catalog.layoutRevision`.
        package var layoutRevision: Int
        package var publishedAt: Timestamp
        package var publishedBy: String

        package init(revision: Int, layoutRevision: Int, publishedAt: Timestamp, publishedBy: String) {
            self.revision = revision
            self.layoutRevision = layoutRevision
            self.publishedAt = publishedAt
            self.publishedBy = publishedBy
        }
    }

    package init(summary: Summary, document: [UInt8]) {
        self.summary = summary
        self.document = document
    }
}
