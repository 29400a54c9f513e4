import CPostgreSQL

/// What a statement gave: its rows, in PostgreSQL's binary form.
package final class Rows {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    package var count: Int { Int(PQntuples(result)) }

    package var first: Row? { count > 0 ? Row(rows: self, index: 0) : nil }

    package func map<Element>(_ read: (Row) throws -> Element) rethrows -> [Element] {
        try (0..<Int32(count)).map { try read(Row(rows: self, index: $0)) }
    }

    /// Columns count from 0.
    package struct Row {
        fileprivate let rows: Rows
        fileprivate let index: Int32

        package func isNull(_ column: Int32) -> Bool { PQgetisnull(rows.result, index, column) != 0 }

        /// 0 for NULL.
        package func integer(_ column: Int32) -> Int64 {
            octets(column).reduce(0) { $0 << 8 | Int64($1) }
        }
        package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
        package func bool(_ column: Int32) -> Bool { octets(column).first == 1 }
        package func text(_ column: Int32) -> String { String(decoding: octets(column), as: UTF8.self) }
        package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
        package func bytes(_ column: Int32) -> [UInt8] { Array(octets(column)) }

        private func octets(_ column: Int32) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                start: PQgetvalue(rows.result, index, column), count: Int(PQgetlength(rows.result, index, column)))
        }
    }
}
