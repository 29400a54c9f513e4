/// The statements of one connection, by table. They are prepared when it is opened, so a schema that does not fit them is
/// found before anything is served. One object for all of them: they are handed to every change.
final class Tables {
    let layouts: LayoutTable
    let revisions: RevisionTable
    let idempotency: IdempotencyTable
    let catalogs: CatalogTable
    let erased: ErasedTable
    let identity: IdentityTable

    init(_ connection: Connection) throws {
        layouts = try LayoutTable(connection)
        revisions = try RevisionTable(connection)
        idempotency = try IdempotencyTable(connection)
        catalogs = try CatalogTable(connection)
        erased = try ErasedTable(connection)
        identity = try IdentityTable(connection)
    }
}
