package import LayoutModel

/// A stored list as one text: ids with commas between them, which no id can hold.
package enum Items {
    package static func text(of list: [FunctionID]?) -> String? {
        guard let list else { return nil }
        return String(unsafeUninitializedCapacity: list.reduce(0) { $0 + $1.text.utf8.count + 1 }) { room in
            var count = 0
            for id in list {
                if count > 0 {
                    room[count] = separator
                    count += 1
                }
                var text = id.text
                text.withUTF8 { octets in
                    _ = UnsafeMutableBufferPointer(rebasing: room[count...]).update(fromContentsOf: octets)
                    count += octets.count
                }
            }
            return count
        }
    }

    /// - Throws: `NotAList` where a part is no id.
    package static func list(from text: String?) throws -> [FunctionID]? {
        guard var text else { return nil }
        guard !text.isEmpty else { return [] }
        return try text.withUTF8 { octets in
            var list: [FunctionID] = []
            list.reserveCapacity(octets.count { $0 == separator } + 1)
            var rest = octets[...]
            while true {
                let end = rest.firstIndex(of: separator) ?? rest.endIndex
                guard let id = FunctionID(octets: UnsafeBufferPointer(rebasing: rest[..<end])) else { throw NotAList() }
                list.append(id)
                if end == rest.endIndex { return list }
                rest = rest[(end + 1)...]
            }
        }
    }

    struct NotAList: Error {}

    private static let separator = UInt8(ascii: ",")
}
