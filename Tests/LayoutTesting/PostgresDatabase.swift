#if PostgreSQL
    import Foundation
    package import LayoutPostgres

    /// A database of its own for one test, on the server that `postgres_cluster.py` has started for the suite.
    package final class PostgresDatabase: Sendable {
        package let name: String
        private let server: String
        private let direct: String

        /// Nil outside of such a suite.
        package static var isThere: Bool { server != nil }
        private static var server: String? { ProcessInfo.processInfo.environment["TEST_POSTGRESQL"] }
        /// The same past the pooler, where there is one.
        private static var direct: String? { ProcessInfo.processInfo.environment["TEST_POSTGRESQL_DIRECT"] }

        package init() throws {
            guard let server = Self.server else { throw Missing() }
            self.server = server
            direct = Self.direct ?? server
            name = "t\(UInt64.random(in: 0 ... .max))"
            try runOutside("CREATE DATABASE \(name)")
        }

        deinit { try? runOutside("DROP DATABASE \(name) WITH (FORCE)") }

        package struct Missing: Error {}

        package var address: ServerAddress { ServerAddress(Self.url(server, name)) }
        package var directAddress: ServerAddress { ServerAddress(Self.url(direct, name)) }

        package func open(
            _ change: (inout PostgresLayoutStore.Configuration) -> Void = { _ in }
        ) async throws -> PostgresLayoutStore {
            var configuration = PostgresLayoutStore.Configuration(address)
            configuration.connections = 4
            // A machine that is busy with other tests is no reason to give up.
            configuration.patience = .seconds(30)
            change(&configuration)
            return try await PostgresLayoutStore.open(configuration, clock: Self.now)
        }

        /// Runs `body` on a new store and closes it.
        package func withStore(
            _ change: (inout PostgresLayoutStore.Configuration) -> Void = { _ in },
            _ body: (PostgresLayoutStore) async throws -> Void
        ) async throws {
            let store = try await open(change)
            do { try await body(store) } catch {
                await store.close()
                throw error
            }
            await store.close()
        }

        /// Runs a statement behind the store's back.
        @discardableResult
        package func run(_ statement: String, _ parameters: [Parameter] = []) throws -> Rows {
            // What another transaction is in the way of is tried again.
            while true {
                do { return try connect().write(statement, parameters, by: .now + .seconds(30)) } catch let setback
                    as Setback
                    where setback.meaning == .conflict
                { continue }
            }
        }

        package func connect() throws -> Connection {
            try Connection(to: directAddress, by: .now + .seconds(30), grace: .seconds(1))
        }

        package static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

        /// Runs a statement outside of this database.
        package func runOutside(_ statement: String) throws {
            let connection = try Connection(
                to: ServerAddress(Self.url(direct, "postgres")), by: .now + .seconds(30), grace: .seconds(1))
            try connection.write(statement, by: .now + .seconds(30))
        }

        private static func url(_ server: String, _ database: String) -> String {
            server[..<(server.lastIndex(of: "/") ?? server.endIndex)] + "/\(database)"
        }
    }
#endif
