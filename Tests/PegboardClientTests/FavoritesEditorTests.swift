import Foundation
import Locking
import PegboardClient
import Testing

@MainActor @Suite struct FavoritesEditorTests {
    private let server = StandInServer()

    private func makeEditor(pinned: Bool = false) async throws -> (FavoritesEditor, OfflineQueue) {
        server.set(catalog: catalogJSON(pinned: pinned))
        let queue = try makeQueue(server)
        try await queue.synchronize()
        return (FavoritesEditor(queue: queue, language: "de"), queue)
    }

    private func path(_ section: Int, _ item: Int) -> IndexPath { IndexPath(indexes: [section, item]) }

    private func favorites(_ editor: FavoritesEditor) -> [String] { editor.sections[0].cells.map(\.function) }

    @Test func thePageIsWhatTheViewAsksFor() async throws {
        let (editor, _) = try await makeEditor(pinned: true)
        #expect(editor.numberOfSections == 2)
        #expect(editor.numberOfItems(inSection: 0) == 4)
        #expect(editor.numberOfItems(inSection: 1) == 7)
        #expect(editor.numberOfItems(inSection: 9) == 0)
        #expect(editor.cell(at: path(1, 4))?.title == "E-de")
        #expect(editor.badge(for: path(0, 0)) == .none)
        #expect(editor.badge(for: path(0, 1)) == .remove)
        #expect(editor.badge(for: path(1, 1)) == .added)
        #expect(editor.badge(for: path(1, 4)) == .add)
        #expect(editor.refusal(for: path(0, 0))?.message == "A-de always comes first")
        #expect(editor.canMoveItem(at: path(0, 1)))
        #expect(!editor.canMoveItem(at: path(0, 0)))
        #expect(!editor.canMoveItem(at: path(1, 1)))
        #expect(!editor.canMoveItem(at: path(0, 17)))
    }

    /// `UICollectionView` counts the destination in the list after the item was taken out.
    @Test(arguments: [(0, 3, "bcda"), (3, 0, "dabc"), (1, 2, "acbd"), (2, 1, "acbd"), (1, 1, "abcd")])
    func aMoveIsWhatTheViewShows(from: Int, to: Int, result: String) async throws {
        let (editor, queue) = try await makeEditor()
        #expect(try editor.moveItem(at: path(0, from), to: path(0, to)).isEmpty)
        #expect(favorites(editor).joined() == result)
        try await queue.synchronize()
        #expect(server.favorites.joined() == result)
    }

    @Test func pinnedCellsStayWhereTheyAreAndTheViewIsTold() async throws {
        let (editor, _) = try await makeEditor(pinned: true)
        #expect(editor.targetIndexPath(forMoveFrom: path(0, 2), proposed: path(0, 0)) == path(0, 1))
        #expect(editor.targetIndexPath(forMoveFrom: path(0, 2), proposed: path(1, 5)) == path(0, 3))
        #expect(editor.targetIndexPath(forMoveFrom: path(0, 0), proposed: path(0, 3)) == path(0, 0))
        let refusal = #expect(throws: Refusal.self) { try editor.moveItem(at: path(0, 3), to: path(0, 0)) }
        #expect(refusal?.code == .slotPinned)
        #expect(throws: Refusal.self) { try editor.moveItem(at: path(0, 0), to: path(0, 3)) }
        #expect(throws: Refusal.self) { try editor.moveItem(at: path(0, 1), to: path(1, 0)) }
        #expect(favorites(editor) == ["a", "b", "c", "d"])
        #expect(try editor.moveItem(at: path(0, 3), to: path(0, 1)) == [])
        #expect(favorites(editor) == ["a", "d", "b", "c"])
    }

    @Test func badgesAddAndRemoveUntilTheLimit() async throws {
        let (editor, queue) = try await makeEditor()
        try editor.tapBadge(at: path(1, 4))
        #expect(favorites(editor) == ["a", "b", "c", "d", "e"])
        #expect(editor.badge(for: path(1, 5)) == .full)
        let refusal = #expect(throws: Refusal.self) { try editor.tapBadge(at: path(1, 5)) }
        #expect(refusal?.message == "All 5 places are taken. Remove one first.")
        try editor.tapBadge(at: path(0, 0))
        #expect(editor.badge(for: path(1, 0)) == .add)
        #expect(editor.pendingCount == 2)
        try await queue.synchronize()
        editor.catchUp()
        #expect(editor.pendingCount == 0)
    }

    @Test func whileEditingNothingChangesUnderTheFinger() async throws {
        let (editor, queue) = try await makeEditor()
        let rebases = Mutex<[DidRebase]>([])
        editor.didRebase = { rebase in rebases.withLock { $0.append(rebase) } }
        editor.beginEditing()
        try editor.moveItem(at: path(0, 3), to: path(0, 0))
        server.change(to: ["a", "c", "d"])
        try await queue.synchronize()
        editor.catchUp()
        #expect(favorites(editor) == ["d", "a", "b", "c"])
        try editor.remove("c")
        try editor.commit()
        #expect(favorites(editor) == ["d", "a"])
        #expect(rebases.withLock { $0.map(\.before) } == [["d", "a", "b"]])
        try await queue.synchronize()
        #expect(server.favorites == ["d", "a"])
        #expect(server.writes.count == 1)
    }

    @Test func whatIsForbiddenByTheEndOfEditingIsLeftOutAndTold() async throws {
        let (editor, queue) = try await makeEditor()
        let reports = Mutex<[EditReport]>([])
        editor.didRebase = { rebase in reports.withLock { $0 += rebase.reports } }
        editor.beginEditing()
        try editor.moveItem(at: path(0, 0), to: path(0, 3))
        try editor.remove("b")
        server.set(catalog: catalogJSON(pinned: true, revision: 2))
        try await queue.synchronize()
        editor.catchUp()
        #expect(favorites(editor) == ["c", "d", "a"])
        try editor.commit()
        #expect(!editor.isEditing)
        #expect(favorites(editor) == ["a", "c", "d"])
        #expect(reports.withLock { $0.map(\.operation) } == [.move("a", to: .after("d"))])
        #expect(reports.withLock { $0.map(\.isDropped) } == [true])
    }

    @Test func cancellingLeavesNoTrace() async throws {
        let (editor, queue) = try await makeEditor()
        editor.beginEditing()
        try editor.remove("a")
        try editor.add("g")
        editor.cancel()
        #expect(favorites(editor) == ["a", "b", "c", "d"])
        #expect(!editor.canUndo)
        #expect(queue.pendingCount == 0)
    }

    @Test func undoTakesBackTheLastThingAndKeepsWhatOthersDid() async throws {
        let (editor, queue) = try await makeEditor()
        try editor.remove("b")
        try editor.moveItem(at: path(0, 2), to: path(0, 0))
        #expect(favorites(editor) == ["d", "a", "c"])
        try await queue.synchronize()
        server.change(to: ["d", "a", "c", "g"])
        try await queue.synchronize()
        editor.catchUp()
        try editor.undo()
        #expect(favorites(editor) == ["a", "c", "d", "g"])
        try editor.undo()
        #expect(favorites(editor) == ["a", "b", "c", "d", "g"])
        #expect(!editor.canUndo)
        try await queue.synchronize()
        #expect(server.favorites == ["a", "b", "c", "d", "g"])
    }

    @Test func anEditThatIsTakenBackBeforeItIsSentIsNotSent() async throws {
        let (editor, queue) = try await makeEditor()
        try editor.remove("b")
        try editor.undo()
        #expect(favorites(editor) == ["a", "b", "c", "d"])
        #expect(queue.pendingCount == 0)
    }

    @Test func theAppsOwnWordsAreUsed() async throws {
        let (editor, _) = try await makeEditor(pinned: true)
        editor.wording = { refusal, title in "\(title ?? "-"): \(refusal.code.rawValue)" }
        #expect(editor.refusal(for: path(0, 0))?.message == "A-de: item_not_movable")
    }

    @Test func aLockedPageCannotBeArranged() async throws {
        let (editor, queue) = try await makeEditor()
        queue.receive(
            .init(
                userId: "u", version: 7, customized: true, locked: true, catalogRevision: 1, favorites: ["a", "b"]))
        editor.catchUp()
        #expect(editor.isLocked)
        #expect(!editor.canMoveItem(at: path(0, 0)))
        let refusal = #expect(throws: Refusal.self) { try editor.remove("a") }
        #expect(refusal?.code == .layoutLocked)
    }

    @Test func aPageThatIsLockedMeanwhileKeepsWhatItHad() async throws {
        let (editor, queue) = try await makeEditor()
        editor.beginEditing()
        try editor.remove("a")
        queue.receive(
            .init(
                userId: "u", version: 7, customized: true, locked: true, catalogRevision: 1, favorites: ["a", "b"]))
        try editor.commit()
        #expect(!editor.isEditing)
        #expect(favorites(editor) == ["a", "b"])
        #expect(queue.pendingCount == 0)
        #expect(queue.reports.map(\.isDropped) == [true])
    }
}
