import LayoutApplication
import LayoutTesting
import Testing

extension StoreConformance {
    @Suite struct Catalogs {
        @Test(arguments: Backend.allCases) func thereIsNoneBeforeTheFirst(backend: Backend) async throws {
            try await backend.withStore { store in
                let current = try await store.currentCatalog()
                #expect(current == nil)
                #expect(try await store.catalog(revision: 1) == nil)
                #expect(try await store.catalogRevisions(below: nil, limit: 10) == [])
            }
        }

        @Test(arguments: Backend.allCases) func theLastPublishedIsInForce(backend: Backend) async throws {
            try await backend.withStore { store in
                let first = try await store.publish { previous in
                    #expect(previous == nil)
                    return record(1)
                }
                let second = try await store.publish { previous in
                    #expect(previous == first)
                    return record(2)
                }
                #expect(try await store.currentCatalog() == second)
                #expect(try await store.catalog(revision: 1) == first)
                #expect(try await store.catalog(revision: 2) == record(2))
                #expect(try await store.catalog(revision: 3) == nil)
            }
        }

        @Test(arguments: Backend.allCases) func aRefusedOneIsNotPublished(backend: Backend) async throws {
            try await backend.withStore { store in
                _ = try await store.publish { _ in record(1) }
                await #expect(throws: Refused.self) { try await store.publish { _ in throw Refused() } }
                await #expect(throws: (any Error).self) { try await store.publish { _ in record(1) } }
                #expect(try await store.currentCatalog() == record(1))
            }
        }

        @Test(arguments: Backend.allCases) func parallelPublishersFollowEachOther(backend: Backend) async throws {
            try await backend.withStore { store in
                try await withThrowingTaskGroup { group in
                    for _ in 0..<20 {
                        group.addTask { _ = try await store.publish { record(($0?.summary.revision ?? 0) + 1) } }
                    }
                    try await group.waitForAll()
                }
                let revisions = try await store.catalogRevisions(below: nil, limit: 100).map(\.revision)
                #expect(revisions == Array((1...20).reversed()))
            }
        }

        @Test(arguments: Backend.allCases) func theyAreListedNewestFirstInPages(backend: Backend) async throws {
            try await backend.withStore { store in
                for revision in 1...5 { _ = try await store.publish { _ in record(revision) } }
                #expect(
                    try await store.catalogRevisions(below: nil, limit: 2) == [record(5).summary, record(4).summary])
                #expect(try await store.catalogRevisions(below: 4, limit: 2) == [record(3).summary, record(2).summary])
                #expect(try await store.catalogRevisions(below: 2, limit: 2) == [record(1).summary])
                #expect(try await store.catalogRevisions(below: 1, limit: 2) == [])
                #expect(try await store.catalogRevisions(below: nil, limit: 0) == [])
            }
        }
    }
}

private func record(_ revision: Int) -> CatalogRecord {
    CatalogRecord(
        summary: .init(
            revision: revision, layoutRevision: (revision + 1) / 2, publishedAt: Int64(revision) * 1_000,
            publishedBy: "产品"),
        document: Array("{\"revision\":\(revision),\"title\":\"财富\"}".utf8))
}
