import LayoutApplication
import LayoutModel
import LayoutTesting
import Testing

@Suite struct CatalogServiceTests {
    private let match = Precondition(match: .any)

    @Test func beforeTheFirstPublicationNothingIsThere() async throws {
        let world = try await World(catalog: nil)
        #expect(world.catalogs.catalog.revision == 0)
        #expect(world.catalogs.catalog.functions.isEmpty)
        #expect(try await world.catalogs.revision(0) == nil)
        #expect(try await world.catalogs.revisions(below: nil, limit: 10).isEmpty)
    }

    @Test func aPublicationIsTheNextRevisionAndInForceAtOnce() async throws {
        let world = try await World(catalog: nil)
        let published = try await world.catalogs.publish(draft("a b | limit 4 | defaults a"), by: "ann", if: match)
        #expect(published.catalog.revision == 1)
        #expect(world.catalogs.catalog === published.catalog)
        #expect(world.catalogs.current.document == published.document)
        let record = try #require(try await world.catalogs.revision(1))
        #expect(record.document == published.document)
        #expect(record.summary == .init(revision: 1, layoutRevision: 1, publishedAt: world.now, publishedBy: "ann"))
    }

    @Test func aServiceThatStartsReadsWhatIsInForce() async throws {
        let world = try await World(catalog: "a b | limit 4 | defaults a")
        _ = try await world.catalogs.publish(draft("a b | limit 5 | defaults a"), by: "", if: match)
        let again = try await CatalogService(store: world.store, coding: .lines, clock: { 0 })
        #expect(again.catalog.revision == 2)
        #expect(again.catalog.layoutRevision == 1, "the limit is no part of a layout's list")
        #expect(again.catalog.policy.limit == 5)
    }

    @Test func theConditionIsHeldAgainstTheRevisionInForce() async throws {
        let world = try await World(catalog: "a b | limit 4 | defaults a")
        let next = draft("a b c | limit 4 | defaults a")
        let stale = Precondition(match: .tags([.init(opaque: "0")]))
        for (precondition, failure) in [
            (stale, Precondition.Failure.failed), (Precondition(isRequired: true), .required),
            (Precondition(match: .any, noneMatch: .any), .exists),
        ] {
            await #expect(throws: failure) { try await world.catalogs.publish(next, by: "", if: precondition) }
            await #expect(throws: failure) { try await world.catalogs.rehearse(next, if: precondition) }
        }
        #expect(world.catalogs.catalog.revision == 1)
        #expect(
            try await world.catalogs.publish(next, by: "", if: Precondition(match: .tags([.init(opaque: "1")]))).catalog
                .revision == 2)
    }

    @Test func aFaultyDraftIsNeitherPublishedNorRehearsed() async throws {
        let world = try await World(catalog: "a b | limit 4 | defaults a")
        let faulty = draft("a a | limit 4 | defaults zz")
        await #expect(throws: CatalogDraft.Faults.self) { try await world.catalogs.publish(faulty, by: "", if: match) }
        await #expect(throws: CatalogDraft.Faults.self) { try await world.catalogs.rehearse(faulty, if: match) }
        #expect(world.catalogs.catalog.revision == 1)
        #expect(try await world.catalogs.revisions(below: nil, limit: 10).map(\.revision) == [1])
    }

    @Test func parallelPublicationsWithOneTagLetOneThrough() async throws {
        let world = try await World(catalog: "a b | limit 4 | defaults a")
        let next = draft("a b c | limit 4 | defaults a")
        let condition = Precondition(match: .tags([.init(opaque: "1")]))
        let published = await withTaskGroup(of: Bool.self) { group in
            for _ in 1...10 {
                group.addTask { (try? await world.catalogs.publish(next, by: "", if: condition)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(published == 1)
        #expect(world.catalogs.catalog.revision == 2)
    }

    @Test func aRehearsalCountsTheLayoutsThatWouldShowSomethingElse() async throws {
        let world = try await World(catalog: "a b c | limit 4 | defaults a b")
        // More users than one page of the store holds.
        for index in 0..<1_203 { try await world.store(index % 3 == 0 ? "a c" : "a", for: "u\(index)") }
        try await world.store(nil, for: "follows the defaults")
        let rehearsal = try await world.catalogs.rehearse(draft("a b | limit 4 | defaults b"), if: match)
        #expect(rehearsal.layouts == 1_204)
        #expect(rehearsal.changed == 401 + 1)
        #expect(rehearsal.catalog.revision == 2)
        #expect(world.catalogs.catalog.revision == 1)
    }

    @Test func revisionsAreListedNewestFirst() async throws {
        let world = try await World(catalog: "a | limit 4 | defaults")
        for _ in 2...4 { _ = try await world.catalogs.publish(draft("a | limit 4 | defaults"), by: "", if: match) }
        #expect(try await world.catalogs.revisions(below: nil, limit: 3).map(\.revision) == [4, 3, 2])
        #expect(try await world.catalogs.revisions(below: 2, limit: 3).map(\.revision) == [1])
    }
}
