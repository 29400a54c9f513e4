import LayoutAPI
import LayoutApplication
import LayoutModel
import LayoutTesting

/// A catalog is refused, or it can be written and read as the same, and every list and page made with it is as the
/// rules say.
enum CatalogFuzz {
    static func run(_ octets: [UInt8]) {
        guard let draft = try? CatalogCoding.json.decode(octets) else { return }
        let catalog: Catalog
        do throws(CatalogDraft.Faults) {
            catalog = try draft.validated(after: nil)
        } catch {
            check(!error.listed.isEmpty, "refused without a reason")
            return
        }
        comesBack(catalog)
        var generator = SplitMix64(seed: number(from: octets))
        for _ in 0..<4 { use(catalog, &generator) }
    }

    private static func comesBack(_ catalog: Catalog) {
        let written = CatalogCoding.json.encode(catalog)
        guard let next = try? CatalogCoding.json.decode(written).validated(after: catalog) else {
            fatalError("what was written is refused: \(String(decoding: written, as: UTF8.self))")
        }
        check(next.revision == catalog.revision + 1, "the revision is not the next one")
        check(next.layoutRevision == catalog.layoutRevision, "the same catalog makes other layouts")
        let same = next.stored(as: catalog.revision, layoutRevision: catalog.layoutRevision)
        check(CatalogCoding.json.encode(same) == written, "written again, the catalog is another")
    }

    private static func use(_ catalog: Catalog, _ generator: inout SplitMix64) {
        let client = Client(
            user: UserID("user-\(generator.next() % 1_000)")!,
            platform: [nil, "ios", "android", catalog.functions.first?.availability.platforms?.first]
                .randomElement(using: &generator)!,
            appVersion: [nil, "1", "10.3", "11.0.1"].randomElement(using: &generator)!.flatMap { AppVersion($0) })
        let everything = catalog.functions.map(\.id) + [FunctionID("no-longer-there")]
        let some = everything.shuffled(using: &generator).prefix(Int.random(in: 0...14, using: &generator))
        let stored: [FunctionID]? = Bool.random(using: &generator) ? Array(some) : nil
        var layout = Layout(healing: stored, catalog: catalog, client: client)
        let model = ReferenceModel(catalog, for: client)
        check(layout.favorites == model.heal(stored), "healing isn't what the reference makes of \(stored as Any)")
        examine(layout, over: stored)

        for _ in 0..<6 {
            let before = layout
            guard (try? layout.apply([operation(on: layout, everything, &generator)])) != nil else {
                check(layout.favorites == before.favorites, "a refused operation changed something")
                continue
            }
            let limit = max(before.favorites.count, catalog.policy.limit)
            check(layout.favorites.count <= limit, "an operation went over the limit")
            examine(layout, over: stored)
        }
    }

    private static func operation(
        on layout: Layout, _ everything: [FunctionID], _ generator: inout SplitMix64
    ) -> Operation {
        func one() -> FunctionID {
            (Bool.random(using: &generator) ? layout.favorites.randomElement(using: &generator) : nil)
                ?? everything.randomElement(using: &generator)!
        }
        func place() -> Placement {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: Placement(.first)
            case 1: Placement(.last)
            case 2: Placement(.before(one()))
            case 3: Placement(.after(one()))
            default: Placement(.index(Int.random(in: -1...layout.favorites.count + 1, using: &generator)))
            }
        }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return .move(.item(one()), to: place())
        case 1: return .move(.block([one(), one()]), to: place())
        case 2: return .move(.slot(Int.random(in: -1...layout.favorites.count, using: &generator)), to: place())
        case 3: return .add(one(), at: nil)
        case 4: return .add(one(), at: place())
        default: return .remove(one())
        }
    }

    private static func examine(_ layout: Layout, over stored: [FunctionID]?) {
        let (list, catalog, client) = (layout.favorites, layout.catalog, layout.client)
        check(Set(list).count == list.count, "something stands twice in \(list)")
        check(list.allSatisfy { catalog.available($0, to: client) != nil }, "something hidden is in \(list)")
        check(
            catalog.functions.allSatisfy { !$0.isRequired || !$0.isAvailable(to: client) || list.contains($0.id) },
            "something required is missing in \(list)")
        check(
            Layout(healing: list, catalog: catalog, client: client).favorites == list, "healing changes a healed list")
        let kept = layout.stored(over: stored)
        check(Set(kept).count == kept.count, "something is stored twice: \(kept)")
        check(Layout(healing: kept, catalog: catalog, client: client).favorites == list, "stored, \(list) is another")

        let page = Page(layout, stored: .never, language: "de")
        check(page.favorites.map { page.function(of: $0).id } == list, "the page has other favorites than \(list)")
        let cells = page.sections.flatMap(\.cells)
        check(Set(cells.map { page.function(of: $0).id }).count == cells.count, "a function has two cells")
        for cell in cells {
            check((cell.badge == .added) == list.contains(page.function(of: cell).id), "a cell's badge is wrong")
        }
        for pin in page.pins { check(list[pin.slot] == pin.id, "a pin is elsewhere") }
    }
}
