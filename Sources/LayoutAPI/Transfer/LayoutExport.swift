import LayoutApplication
package import LayoutModel

/// All stored layouts as lines, page by page, in the order of their users' bytes.
///
/// It is no snapshot: a layout that changes meanwhile is the old or the new one. Each is given once.
package struct LayoutExport: Sendable {
    private let page: @Sendable (UserID?, Int) async throws -> [(user: UserID, layout: StoredLayout)]

    /// Some 100 KB.
    private static let pageSize = 500

    /// - Parameter page: see `LayoutStore.layouts(after:limit:)`.
    package init(
        pages page: @escaping @Sendable (UserID?, Int) async throws -> [(user: UserID, layout: StoredLayout)]
    ) {
        self.page = page
    }

    /// Writes those after `user`, or all of them, and then the line that says how many they were.
    ///
    /// - Parameter write: gets whole lines, and how many layouts they hold.
    package func run(after user: UserID?, _ write: ([UInt8], _ layouts: Int) async throws -> Void) async throws {
        var last = user
        var count = 0
        while true {
            try Task.checkCancellation()
            let layouts = try await page(last, Self.pageSize)
            guard let end = layouts.last?.user else { break }
            count += layouts.count
            try await write(layouts.flatMap { LayoutLine.octets(of: $0.user, $0.layout) }, layouts.count)
            last = end
        }
        try await write(LayoutLine.end(after: count), 0)
    }
}
