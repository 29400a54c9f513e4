package import LayoutModel

/// How a catalog is written down; the API knows.
package struct CatalogCoding: Sendable {
    package var decode: @Sendable ([UInt8]) throws -> CatalogDraft
    package var encode: @Sendable (Catalog) -> [UInt8]

    package init(
        decode: @escaping @Sendable ([UInt8]) throws -> CatalogDraft,
        encode: @escaping @Sendable (Catalog) -> [UInt8]
    ) {
        self.decode = decode
        self.encode = encode
    }
}
