extension [Migration] {
    /// The files of `SQLite/`, in order. A new file stands here too; a test compares the two.
    package static let sqlite: [Migration] = [
        Migration(version: 1, name: "layouts", sql: PackageResources._001_layouts_sqlite_sql),
        Migration(version: 2, name: "places", sql: PackageResources._002_places_sqlite_sql),
    ]
}
