extension [Migration] {
    /// The files of `PostgreSQL/`, in order. A new file stands here too; a test compares the two.
    package static let postgreSQL: [Migration] = [
        Migration(version: 1, name: "layouts", sql: PackageResources._001_layouts_postgres_sql)
    ]
}
