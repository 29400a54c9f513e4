import LayoutAPI
import LayoutApplication
import LayoutModel

/// JSON: a catalog of a hundred functions, as it is published and as it is kept.
func measureDocuments() throws {
    let catalog = try catalog(100)
    let document = CatalogCoding.json.encode(catalog)
    try measure("read a catalog of \(document.count) octets", calls: 200) { _ in
        _ = try CatalogCoding.json.decode(document)
    }
    measure("write it", calls: 200) { _ in _ = CatalogCoding.json.encode(catalog) }
}
