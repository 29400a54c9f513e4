import CSQLite

/// What SQLite answered: a primary code in the low byte, told more exactly by the whole. https://sqlite.org/rescode.html
package struct ResultCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    package static let ok = ResultCode(rawValue: SQLITE_OK)
    package static let row = ResultCode(rawValue: SQLITE_ROW)
    package static let done = ResultCode(rawValue: SQLITE_DONE)
    package static let busy = ResultCode(rawValue: SQLITE_BUSY)
    package static let full = ResultCode(rawValue: SQLITE_FULL)
    package static let ioError = ResultCode(rawValue: SQLITE_IOERR)
    package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    package static let permission = ResultCode(rawValue: SQLITE_PERM)
    package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)

    /// A primary code matches each of its extended codes: `case .ioError` is also a failed `fsync`.
    package static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primary
    }
}
