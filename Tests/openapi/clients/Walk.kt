// The README's walk with the client that openapi-generator's kotlin generates. Argument: the server's address.
import org.openapitools.client.apis.FavoritesApi
import org.openapitools.client.apis.LayoutApi
import org.openapitools.client.infrastructure.ApiResponse
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.infrastructure.Success
import org.openapitools.client.models.*

const val ALICE = "alice"

val ApiResponse<*>.tag get() = headers.getValue("etag").single()
val <T> ApiResponse<T?>.data get() = (this as Success).data!!
val ApiResponse<*>.problem: Problem
    get() = Serializer.gson.fromJson((this as ClientError).body as String, Problem::class.java)

class Walk(address: String) {
    private val layouts = LayoutApi(address)
    private val favorites = FavoritesApi(address)

    private fun move(id: String, at: Any, base: Long? = null, tag: String? = null): ApiResponse<Change?> {
        val operation = Operation(MoveItem(op = MoveItem.Op.move, id = id, at = Place(at)))
        return layouts.applyOperationsWithHttpInfo(
            ALICE, Operations(operations = listOf(operation), baseVersion = base), platform = null, appVersion = null,
            validateOnly = null, ifMatch = tag, ifNoneMatch = null, idempotencyKey = null, pegboardClient = null)
    }

    private fun read(tag: String? = null) = layouts.getLayoutWithHttpInfo(
        ALICE, platform = null, appVersion = null, ifMatch = null, ifNoneMatch = tag, prefer = null)

    fun walk() {
        val read = read()
        check(read.data.version == 0L && read.data.favorites.first() == "scan" && read.tag == "\"0+c1\"") { read }
        check(read(read.tag).statusCode == 304)

        val moved = move("ride", AtIndex(index = 2), tag = read.tag)
        check(moved.data.layout.favorites[2] == "ride" && moved.tag == "\"1\"") { moved.data }
        check(moved.data.outcomes[0].result == Outcome.Result.applied) { moved.data }

        val refused = move("scan", AtIndex(index = 3))
        check(refused.statusCode == 422 && refused.problem.code == ProblemCode.item_not_movable) { refused.problem }

        val stale = move("ride", AtEdge(edge = AtEdge.Edge.last), tag = read.tag)
        check(stale.statusCode == 412 && stale.problem.current?.version == 1L) { stale.problem }

        val added = favorites.putFavorite(ALICE, "metro")
        check(added.layout.favorites.last() == "metro") { added }
        val removed = favorites.deleteFavorite(ALICE, "food-delivery")
        check("food-delivery" !in removed.layout.favorites) { removed }

        val rebased = move("transfer", AtAfter(after = "food-delivery"), base = 1).data
        check(rebased.rebasedFrom == 1L) { rebased }
        check(rebased.outcomes[0].result == Outcome.Result.anchor_substituted) { rebased }
        check(rebased.outcomes[0].at?.actualInstance == AtAfter(after = "phone-topup")) { rebased }

        val page = layouts.getPage(ALICE, platform = "ios", appVersion = "10.3", acceptLanguage = "de")
        check(page.locale == "de" && page.sections[0].cells[0].refusal?.code == ProblemCode.item_not_movable) { page }
    }
}

fun main(arguments: Array<String>) = Walk(arguments[0]).walk()
