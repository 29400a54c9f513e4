import HTTP1
import LayoutApplication
import Locking

/// What hangs on a layout in memory: the answers that were made of it, for the client that asked last.
final class Renderings: Sendable {
    let layout: Rendering?
    /// Pages are large, and are kept in number: see `PageShelf`.
    weak let page: Rendering?

    private init(layout: Rendering?, page: Rendering?) {
        self.layout = layout
        self.page = page
    }

    static func of(_ entry: LayoutEntry) -> Renderings? { entry.rendering.withLock { $0 as? Renderings } }

    static func keep(layout rendering: Rendering, on entry: LayoutEntry) {
        entry.rendering.withLock { $0 = Renderings(layout: rendering, page: ($0 as? Renderings)?.page) }
    }

    static func keep(page rendering: Rendering, on entry: LayoutEntry) {
        entry.rendering.withLock { $0 = Renderings(layout: ($0 as? Renderings)?.layout, page: rendering) }
    }
}

/// One answer, and for whom it is right: the same query and languages, under the same catalog.
final class Rendering: Sendable {
    let representation: KeptRepresentation
    private let catalogRevision: Int
    private let query: [UInt8]
    private let languages: [UInt8]

    init(_ representation: KeptRepresentation, catalogRevision: Int, query: [UInt8], languages: [UInt8] = []) {
        self.representation = representation
        self.catalogRevision = catalogRevision
        self.query = query
        self.languages = languages
    }

    /// - Parameter languages: `Accept-Language` as it came, where the answer depends on it.
    func fits(catalogRevision: Int, query: ArraySlice<UInt8>, languages: ArraySlice<UInt8> = []) -> Bool {
        self.catalogRevision == catalogRevision && query.hasSameOctets(as: self.query)
            && languages.hasSameOctets(as: self.languages)
    }
}

/// Holds the pages made last, so many as fit; on the layouts they hang weakly. The layouts' own memory is counted without
/// them: a page is ten times as large as its layout, and most layouts in memory are not asked for theirs.
final class PageShelf: Sendable {
    private let capacity: Int
    private let state = Mutex(State())

    private struct State {
        /// In the order in which they came. Those before `first` are let go.
        var pages: [Rendering?] = []
        var first = 0
        var cost = 0

        mutating func removeFirst() {
            cost -= pages[first]?.representation.cost ?? 0
            pages[first] = nil
            first += 1
            // Moved up once for as many as are kept: each costs a constant.
            guard 2 * first > pages.count else { return }
            pages.removeFirst(first)
            first = 0
        }
    }

    /// - Parameter capacity: in octets.
    init(capacity: Int = 16 << 20) { self.capacity = capacity }

    func add(_ page: Rendering) {
        state.withLock { state in
            state.pages.append(page)
            state.cost += page.representation.cost
            while state.cost > capacity { state.removeFirst() }
        }
    }
}
