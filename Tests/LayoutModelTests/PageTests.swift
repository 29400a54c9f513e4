import LayoutModel
import LayoutTesting
import Testing

/// Every cell of the page, with its badge and what may be done to it.
@Suite struct PageTests {
    private func page(
        _ stored: String, minimum: Int = 0, limit: Int = 12, locked: Bool = false, language: String = "en",
        _ change: (inout CatalogDraft) -> Void = { _ in }
    ) -> Page {
        let catalog = Catalog.make("a b c d P", minimum: minimum, limit: limit) { draft in
            draft["P"].pin = 1
            change(&draft)
        }
        let layout = Layout.make(stored, in: catalog)
        return Page(
            layout, stored: StoredLayout(favorites: ids(stored), version: 1, locked: locked, updatedAt: 0),
            language: language)
    }

    private func badges(_ cells: [Page.Cell]) -> [Page.Badge] { cells.map(\.badge) }

    @Test func favoritesCanBeRemovedAndTheOthersAdded() {
        let page = page("a P b")
        #expect(badges(page.favorites) == [.remove, .remove, .remove])
        #expect(page.favorites.map(\.canMove) == [true, false, true])
        #expect(page.favorites.map(\.refusal) == [nil, .itemNotMovable("P"), nil])
        #expect(badges(page.sections[0].cells) == [.added, .added, .add, .add, .added])
        #expect(page.sections[0].cells.allSatisfy { !$0.canMove && !$0.canRemove && $0.refusal == nil })
    }

    @Test func aFullListOffersNoAddition() {
        let page = page("a P b", limit: 3)
        let full = Refusal.favoritesLimit(limit: 3, requested: 4, scope: .step)
        #expect(badges(page.sections[0].cells) == [.added, .added, .full, .full, .added])
        #expect(page.sections[0].cells.map(\.refusal) == [nil, nil, full, full, nil])
        #expect(badges(page.favorites) == [.remove, .remove, .remove])
    }

    @Test func aListAtTheMinimumOffersNoRemoval() {
        let page = page("a b", minimum: 2)
        let least = Refusal.favoritesMinimum(minimum: 2, requested: 1, scope: .step)
        #expect(badges(page.favorites) == [.none, .none])
        #expect(page.favorites.map(\.canRemove) == [false, false])
        #expect(page.favorites.map(\.canMove) == [true, true])
        #expect(page.favorites.map(\.refusal) == [least, least])
    }

    @Test func aLockedLayoutOffersNothing() {
        let page = page("a P b", locked: true)
        #expect(badges(page.favorites) == [.none, .none, .none])
        #expect(page.favorites.allSatisfy { !$0.canMove && !$0.canRemove && $0.refusal == .layoutLocked })
        #expect(badges(page.sections[0].cells) == [.added, .added, .none, .none, .added])
        #expect(page.sections[0].cells.map(\.refusal) == [nil, nil, .layoutLocked, .layoutLocked, nil])
    }

    @Test func whatMayNotBeRemovedHasNoBadge() {
        let page = page("a b c") { draft in
            draft["a"].isRemovable = false
            draft["b"].isRequired = true
        }
        #expect(badges(page.favorites) == [.none, .none, .remove])
        #expect(page.favorites.map(\.refusal) == [.itemNotRemovable("a"), .itemNotRemovable("b"), nil])
    }

    @Test func whatIsHiddenIsNowhereOnThePage() {
        let page = page("a b c") { $0["b"].status = "retired" }
        #expect(page.favorites.map { page.function(of: $0).id } == ids("a c"))
        #expect(page.sections[0].cells.map { page.function(of: $0).id } == ids("a c d P"))
    }

    @Test func titlesAreInTheLanguageAskedForOrTheDefaultOne() {
        let change = { (draft: inout CatalogDraft) in
            draft["a"].title = Title(["en": "Scan", "zh-Hans": "扫一扫"])
            draft.sections[0].title = Title(["en": "All", "zh-Hans": "全部"])
        }
        let chinese = page("a b", language: "zh-Hans", change)
        #expect(chinese.favorites.map(chinese.title) == ["扫一扫", "b"])
        #expect(chinese.sections.map(\.title) == ["全部"])
        let french = page("a", language: "fr", change)
        #expect(french.favorites.map(french.title) == ["Scan"])
    }

    @Test func thePinnedSlotsAreNamed() {
        let pins = page("a P b").pins
        #expect(pins.map(\.slot) == [1])
        #expect(pins.map(\.id) == ["P"])
    }

    /// In every state of the page a cell says exactly what trying it would say.
    @Test func everyCellSaysWhatTryingItWouldSay() {
        var comparison = Comparison()
        for stored in (0...3).flatMap({ tuples(of: $0, from: ids("a b c P")) }) {
            for (minimum, limit) in [(0, 9), (2, 3), (1, 2)] {
                let page = page(text(stored), minimum: minimum, limit: limit) { draft in
                    draft["a"].isRemovable = false
                    draft["b"].isMovable = false
                }
                for cell in page.favorites {
                    let id = page.function(of: cell).id
                    let input = "\(id) in [\(text(stored))], \(minimum) to \(limit)"
                    comparison.equal(cell.canMove, isAllowed(.move(id, .last), page), input)
                    comparison.equal(cell.canRemove, isAllowed(.remove(id), page), input)
                    comparison.equal(cell.badge, cell.canRemove ? .remove : .none, input)
                    let first = refusal(.move(id, .last), page) ?? refusal(.remove(id), page)
                    comparison.equal(cell.refusal, first, input)
                }
                for cell in page.sections[0].cells {
                    let id = page.function(of: cell).id
                    if page.layout.contains(id) { continue }
                    let input = "\(id) beside [\(text(stored))], \(minimum) to \(limit)"
                    comparison.equal(cell.refusal, refusal(.add(id), page), input)
                    comparison.equal(cell.badge, cell.refusal == nil ? .add : .full, input)
                }
            }
        }
        comparison.finish(atLeast: 1_000)
    }

    private func refusal(_ operation: Operation, _ page: Page) -> Refusal? {
        if case .failure(let refusal) = page.layout.applying(operation) { refusal } else { nil }
    }

    private func isAllowed(_ operation: Operation, _ page: Page) -> Bool { refusal(operation, page) == nil }
}
