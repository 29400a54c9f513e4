import LayoutApplication

/// What `read` makes of a row, where the row is as it was written.
///
/// - Throws: `StoreError.damaged` where it is not; `what` names the row for the log.
func verified<Content>(
    _ computed: Int64, _ stored: Int64, _ what: @autoclosure () -> String, read: () throws -> Content
) throws -> Content {
    guard computed == stored || DamageFault.isIgnored else {
        throw StoreError.damaged(what: "\(what()): the checksum does not match")
    }
    do { return try read() } catch is Items.NotAList {
        throw StoreError.damaged(what: "\(what()): the items are no list of ids")
    }
}
