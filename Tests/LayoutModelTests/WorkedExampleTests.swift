import LayoutModel
import LayoutTesting
import Testing

/// The worked examples of the rules, row by row: they are the contract.
@Suite struct WorkedExampleTests {
    /// `P` is pinned at 2, `p` at 0 and `q` at the end, where they are favorites.
    static let catalog = Catalog.make("a b c d e f g h P p q") { draft in
        draft["P"].pin = 2
        draft["p"].pin = 0
        draft["q"].pin = 99
    }

    struct Row: CustomTestStringConvertible {
        let start: String
        let operation: Operation
        let result: Result<String, Refusal>

        init(_ start: String, _ operation: Operation, _ result: String) {
            (self.start, self.operation, self.result) = (start, operation, .success(result))
        }

        init(_ start: String, _ operation: Operation, refused: Refusal) {
            (self.start, self.operation, self.result) = (start, operation, .failure(refused))
        }

        var testDescription: String { "\(start) | \(operation)" }
    }

    @Test(
        "a row of the table of operations",
        arguments: [
            Row("a b c d", .move("a", .index(3)), "b c d a"),
            Row("a b c d", .move("a", .index(4)), refused: .indexOutOfRange(index: 4, maximum: 3)),
            Row("a b c d e f g", .move("c", .index(5)), "a b d e f c g"),
            Row("a b c d e f g", .move("c", .before("f")), "a b d e c f g"),
            Row("a b c d", .move("a", .after("c")), "b c a d"),
            Row("a b c d", .move("d", .after("a")), "a d b c"),
            Row("a b c d", .move("b", .before("b")), refused: .anchorIsSelf("b")),
            Row("a b c d", .move("b", .before("c")), "a b c d"),
            Row("a b c d e", .move(ids("d b"), .before("a")), "d b a c e"),
            Row("a b P c d", .move("d", .index(0)), "d a P b c"),
            Row("a b P c d", .remove("a"), "b c P d"),
            Row("a b P c d", .add("h"), "a b P c d h"),
            Row("a b P c d", .move("a", .index(2)), refused: .slotPinned(2, by: "P")),
            Row("a b P c d", .move("P", .index(0)), refused: .itemNotMovable("P")),
            Row("a b P c d", .move("a", .after("P")), "b c P a d"),
            Row("p a b c", .move("c", .index(1)), "p c a b"),
            Row("p a b c", .move("c", .before("p")), refused: .slotPinned(0, by: "p")),
            // What the text beside the table says.
            Row("a b c d", .move(from: 3, .first), "d a b c"),
            Row("a b c d", .move(from: 4, .first), refused: .indexOutOfRange(index: 4, maximum: 3)),
            Row("a b c d", .move(from: 1, .before("b")), refused: .anchorIsSelf("b")),
            Row("a b c d", .add("b"), "a b c d"),
            Row("a b c d", .add("b", .last), "a c d b"),
            Row("a b c d", .add("h", .index(4)), "a b c d h"),
            Row("a b c d", .add("h", .index(5)), refused: .indexOutOfRange(index: 5, maximum: 4)),
            Row("a b c d", .remove("h"), "a b c d"),
            Row("a b c d", .add("P"), "a b P c d"),
            Row("a b c d", .add("P", .first), refused: .itemNotMovable("P")),
            Row("a b c d", .move("a", .index(-1)), refused: .invalidIndex(-1)),
            Row("a b c d", .move([], .first), refused: .emptyBlock),
            Row("a b c d", .move(ids("a b a"), .first), refused: .duplicateItem("a", indexes: [0, 2])),
            Row("a b P c d", .move(ids("c d"), .index(1)), "a c P d b"),
            // Of a block's range the last index is the last at which it fits, however far beyond it the request is.
            Row("a b c q", .move(ids("a b"), .index(2)), refused: .indexOutOfRange(index: 2, maximum: 1)),
            Row("a b c q", .move(ids("a b"), .index(3)), refused: .indexOutOfRange(index: 3, maximum: 1)),
            Row("a b P c d", .move("d", .before("P")), "a d P b c"),
            Row("a b c d", .move("h", .first), refused: .notAFavorite("h")),
            Row("a b c d", .move("a", .after("h")), refused: .anchorAbsent("h")),
            Row("a b c d", .move("x", .first), refused: .unknownFunction("x")),
            Row("a b c d", .move("a", .after("x")), refused: .unknownFunction("x")),
            Row("a b c d", .remove("x"), refused: .unknownFunction("x")),
        ])
    func operation(row: Row) {
        let got = Layout.make(row.start, in: Self.catalog).applying(row.operation)
        #expect(got == row.result.map { ids($0) })
    }

    @Test func aRetiredFunctionComesBackBehindItsLeftNeighbour() throws {
        let retired = Catalog.make("a b c d") { $0["b"].status = "retired" }
        var layout = Layout.make("a b c d", in: retired)
        #expect(layout.favorites == ids("a c d"))
        try layout.move(["d"], to: .index(0))
        #expect(layout.favorites == ids("d a c"))
        let stored = layout.stored(over: ids("a b c d"))
        let active = Catalog.make("a b c d", after: retired)
        #expect(Layout(healing: stored, catalog: active, client: .make()).favorites == ids("d a b c"))
    }

    @Test func oneRefusedOperationOfARequestUndoesAll() {
        let catalog = Catalog.make("a b c d e") { $0["b"].isMovable = false }
        let got = Layout.make("a b c d e", in: catalog).applying([.remove("a"), .move("b", .index(0))])
        #expect(got == .failure(Rejection(.itemNotMovable("b"), operationIndex: 1)))
    }

    @Test func anotherSectionThanTheFavoritesIsRefused() {
        let layout = Layout.make("a b c d", in: Self.catalog)
        let move = Operation.move(.item("a"), to: Placement(.last, section: "finance"))
        #expect(layout.applying(move) == .failure(.sectionFixed("finance")))
        let add = Operation.add("h", at: Placement(.last, section: "finance"))
        #expect(layout.applying(add) == .failure(.sectionFixed("finance")))
        let own = Operation.move(.item("a"), to: Placement(.last, section: "favorites"))
        #expect(layout.applying(own) == .success(ids("b c d a")))
    }

    @Test func whatIsWrongInAnyStateIsSaidBeforeAllElse() {
        let operations = [Operation.remove("x"), .move("b", .before("b"))]
        let got = Layout.make("a b", in: Self.catalog).applying(operations)
        #expect(got == .failure(Rejection(.anchorIsSelf("b"), operationIndex: 1)))
    }

    @Test func aHundredOperationsAreEnough() {
        let layout = Layout.make("a b", in: Self.catalog)
        let many = (0..<100).map { _ in Operation.move("b", .first) }
        #expect(layout.applying(many) == .success(ids("b a")))
        #expect(
            layout.applying(many + [.remove("a")])
                == .failure(Rejection(.tooManyOperations(count: 101, limit: 100))))
    }

    @Test(
        "a row of the table of stale edits",
        arguments: [
            ("a b c d", "a b c d e", Operation.move("d", .before("a")), "d a b c e", Outcome.Result.applied),
            ("a b c d e", "a b d e", .move("c", .index(0)), "a b d e", .itemAbsent),
            ("a b c d e", "a b d e", .move("e", .after("c")), "a b e d", .anchorSubstituted(.after("b"))),
        ])
    func rebase(base: String, now: String, operation: Operation, list: String, result: Outcome.Result) throws {
        var layout = Layout.make(now, in: Self.catalog)
        let outcomes = try Rebase.apply([operation], madeOn: ids(base), to: &layout)
        #expect(layout.favorites == ids(list))
        #expect(outcomes.map(\.result) == [result])
    }
}
