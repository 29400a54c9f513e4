import HTTP1
import Testing

@testable import LayoutAPI

@Suite struct PageShelfTests {
    private func page(of count: Int) -> Rendering {
        let content = [UInt8](repeating: 0x20, count: count)
        return Rendering(
            KeptRepresentation(Representation(tag: "1", cacheControl: "no-cache"), content: content),
            catalogRevision: 1, query: [])
    }

    @Test func thePagesMadeLastAreHeldAndNoMoreThanFit() {
        let cost = page(of: 100).representation.cost
        let shelf = PageShelf(capacity: 10 * cost)
        var held: [() -> Rendering?] = []
        for count in 1...100 {
            let page = self.page(of: 100)
            shelf.add(page)
            held.append { [weak page] in page }
            // Those let go are gone at once, whatever still refers to them weakly.
            #expect(held.suffix(10).allSatisfy { $0() != nil })
            #expect(held.dropLast(10).allSatisfy { $0() == nil }, "after \(count)")
        }
    }

    @Test func aPageThatDoesNotFitAtAllIsNotHeld() {
        let shelf = PageShelf(capacity: 2_000)
        var large: Rendering? = page(of: 100_000)
        weak let reference = large
        shelf.add(page(of: 100_000))
        if let large { shelf.add(large) }
        large = nil
        #expect(reference == nil)
        // And there is room again.
        var small: Rendering? = page(of: 100)
        weak let kept = small
        if let small { shelf.add(small) }
        small = nil
        #expect(kept != nil)
    }
}
