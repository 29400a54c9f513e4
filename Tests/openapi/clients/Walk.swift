// The README's walk with the client that openapi-generator's swift6 generates. Argument: the server's address.
import Foundation
import PegboardGenerated

@main
struct Walk {
    static func main() async throws {
        PegboardGeneratedAPIConfiguration.shared.basePath = CommandLine.arguments[1]

        let read = try await LayoutAPI.getLayoutWithRequestBuilder(user: "alice").execute()
        let tag = read.header["ETag"] ?? read.header["Etag"]
        precondition(read.body.version == 0 && read.body.favorites.first == "scan" && tag == "\"0+c1\"")

        let moved = try await LayoutAPI.applyOperations(
            user: "alice", operations: move("ride", to: .typeAtIndex(AtIndex(index: 2))), ifMatch: tag)
        precondition(moved.layout.favorites[2] == "ride" && moved.outcomes.first?.result == .applied)

        let refused = try await problem {
            try await LayoutAPI.applyOperations(
                user: "alice", operations: move("scan", to: .typeAtIndex(AtIndex(index: 3))))
        }
        precondition(refused.status == 422 && refused.code == .itemNotMovable)

        let stale = try await problem {
            try await LayoutAPI.applyOperations(
                user: "alice", operations: move("ride", to: .typeAtEdge(AtEdge(edge: .last))), ifMatch: tag)
        }
        precondition(stale.status == 412 && stale.current?.version == 1)

        let added = try await FavoritesAPI.putFavorite(user: "alice", function: "metro")
        precondition(added.layout.favorites.last == "metro")
        let removed = try await FavoritesAPI.deleteFavorite(user: "alice", function: "food-delivery")
        precondition(!removed.layout.favorites.contains("food-delivery"))

        let rebased = try await LayoutAPI.applyOperations(
            user: "alice",
            operations: move("transfer", to: .typeAtAfter(AtAfter(after: "food-delivery")), madeOn: 1))
        precondition(rebased.rebasedFrom == 1 && rebased.outcomes.first?.result == .anchorSubstituted)
        precondition(rebased.outcomes.first?.at == .typeAtAfter(AtAfter(after: "phone-topup")))

        let page = try await LayoutAPI.getPage(
            user: "alice", platform: "ios", appVersion: "10.3", acceptLanguage: "de")
        precondition(page.locale == "de" && page.sections[0].cells[0].refusal?.code == .itemNotMovable)
    }

    static func move(_ id: String, to place: Place, madeOn base: Int64? = nil) -> Operations {
        Operations(baseVersion: base, operations: [.typeMoveItem(MoveItem(op: .move, id: id, at: place))])
    }

    /// The problem that the request is answered with.
    static func problem(_ request: @Sendable () async throws -> Change) async throws -> Problem {
        do {
            _ = try await request()
        } catch ErrorResponse.error(_, let content?, _, _) {
            return try PegboardGeneratedAPIConfiguration.shared.codableHelper.decode(Problem.self, from: content).get()
        }
        preconditionFailure("It was not refused.")
    }
}
