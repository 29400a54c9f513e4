package import LayoutApplication
package import LayoutModel

/// A change that no rule can have meant: our own bug, refused before it is written.
package struct InvalidChange: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension LayoutChange {
    /// - Throws: `InvalidChange` where this is none that can follow on what the transaction saw.
    package func timeMade(after transaction: any LayoutTransaction) throws -> Timestamp {
        guard layout.version > max(transaction.current.version, transaction.versionFloor),
            let updatedAt = layout.updatedAt
        else {
            throw InvalidChange(
                "version \(layout.version) after \(transaction.current.version), made at \(layout.updatedAt ?? 0)")
        }
        return updatedAt
    }
}
