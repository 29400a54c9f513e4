package import LayoutModel

/// A stored list as one text: ids with commas between them, which no id can hold.
package enum Items {
    package static func text(of list: [FunctionID]?) -> String? {
        guard let list else { return nil }
        var text = ""
        text.reserveCapacity(list.reduce(0) { $0 + $1.text.utf8.count + 1 })
        for id in list {
            if !text.isEmpty { text += "," }
            text += id.text
        }
        return text
    }

    /// - Throws: `NotAList` where a part is no id.
    package static func list(from text: String?) throws -> [FunctionID]? {
        guard let text else { return nil }
        guard !text.isEmpty else { return [] }
        return try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            guard let id = FunctionID(part) else { throw NotAList() }
            return id
        }
    }

    struct NotAList: Error {}
}
