import HTTP1

/// What came of a backup.
package struct BackupReport: Sendable {
    package var file: String
    package var bytes: Int
    package var layouts: Int

    package init(file: String, bytes: Int, layouts: Int) {
        self.file = file
        self.bytes = bytes
        self.layouts = layouts
    }
}

/// Why there is none; anything else is unforeseen.
package enum BackupRefused: Error {
    case exists, underWay
    /// As the files are called that SQLite puts beside a database.
    case reservedName
    /// The copy, and with it the database, is not whole.
    case damaged
    /// No room, or no permission.
    case unavailable
}

extension API {
    /// Makes a copy of the database in the one folder that the operator named: `{"file": "monday.db"}`.
    func makeBackup(_ call: Call) throws -> Answer {
        let name = try call.content().object().only("file").required("file")
        let file = try name.string()
        guard Self.isName(file) else {
            throw name.fault(
                .invalidValue, "A file's name is 1 to 128 of A-Z a-z 0-9 . _ -, and does not begin with a dot.")
        }
        guard let backup else {
            throw Problem(.backupNotConfigured, "This server has no folder for backups; --backup-directory names one.")
        }
        return later(call) {
            do {
                let report = try await backup(file)
                var json = JSONWriter()
                json.object { json in
                    json.member("file", report.file)
                    json.member("bytes", report.bytes)
                    json.member("layouts", report.layouts)
                }
                var fields = Fields()
                fields.append(name: "Content-Type", value: "application/json")
                fields.append(name: "Cache-Control", value: "no-store")
                return Response(.created, fields: fields, content: .bytes(json.octets))
            } catch let refused as BackupRefused {
                throw Problem(refused)
            }
        }
    }

    /// No separator, and no name that would be hidden or means a folder.
    static func isName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension Problem {
    fileprivate init(_ refused: BackupRefused) {
        switch refused {
        case .exists:
            self.init(.backupExists, "There is a backup of that name. Choose another name.")
        case .reservedName:
            self.init(
                .invalidValue, "A name that ends in -wal, -shm or -journal belongs to SQLite. Choose another name.")
            pointer = "/file"
        case .underWay:
            self.init(.backupUnderWay, "Another backup is being made. Repeat when it is done.")
            fields = [("Retry-After", "5")]
        case .damaged:
            self.init(
                .damagedRecord, "The copy was not whole and was deleted; the log says why. Run `pegboard verify`.")
        case .unavailable:
            self.init(.storageUnavailable, "The copy could not be written; the log says why.")
            fields = [("Retry-After", "60")]
        }
    }
}
