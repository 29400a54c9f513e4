package import LayoutRecords

/// Why a copy was not made, or not put in the database's place. Nothing was changed then.
package enum CopyError: Error, Equatable, Sendable, CustomStringConvertible {
    case missing(path: String)
    case exists(path: String)
    /// The copy would be the database itself.
    case sameFile(path: String)
    /// It ends as the log of a database does, or a copy in the making.
    case reservedName(path: String)
    case underWay(path: String)
    case notWhole(path: String, findings: [Finding])
    case otherDatabase(path: String, id: String, databaseID: String)

    package var description: String {
        switch self {
        case .missing(let path):
            "\(path) is not there. Check the path."
        case .exists(let path):
            "\(path) is there already. Choose another name, or say --force to replace it."
        case .sameFile(let path):
            "\(path) is the database itself, or belongs to it. Choose another name."
        case .reservedName(let path):
            "\(path) ends as a file does that belongs to another one. Choose another name."
        case .underWay(let path):
            "Another process makes \(path) at this moment. Wait for it."
        case .notWhole(let path, let findings):
            "\(path) is not whole, \(findings.count == 1 ? "for one thing" : "\(findings.count) things are wrong with it"): "
                + "\(findings.first.map { "\($0)" } ?? "nothing could be read"). Use another copy."
        case .otherDatabase(let path, let id, let databaseID):
            "\(path) is a copy of database \(id), and this one is \(databaseID). Say --force where that is meant."
        }
    }
}
