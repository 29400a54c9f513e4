// The README's walk with the models that openapi-generator's kotlin generates. Argument: the server's address.
//
// Their HTTP part wants okhttp 4, which Debian doesn't have: what is tried here is that the models compile, write what the
// server takes and read what it answers.
import java.net.HttpURLConnection
import java.net.URL
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.models.*

class Reply(val status: Int, val tag: String?, val content: String) {
    inline fun <reified T> read(): T = Serializer.gson.fromJson(content, T::class.java)
}

lateinit var address: String

fun send(method: String, path: String, content: Any? = null, fields: Map<String, String> = mapOf()): Reply {
    val connection = URL(address + path).openConnection() as HttpURLConnection
    connection.requestMethod = method
    fields.forEach { (name, value) -> connection.setRequestProperty(name, value) }
    if (content != null) {
        connection.setRequestProperty("Content-Type", "application/json")
        connection.doOutput = true
        connection.outputStream.use { it.write(Serializer.gson.toJson(content).toByteArray()) }
    }
    val stream = if (connection.responseCode < 400) connection.inputStream else connection.errorStream
    return Reply(connection.responseCode, connection.getHeaderField("ETag"), stream.reader().readText())
}

const val LAYOUT = "/v1/users/alice/layout"

fun move(id: String, at: Any, base: Long? = null, tag: String? = null): Reply {
    val operation = Operation(MoveItem(op = MoveItem.Op.move, id = id, at = Place(at)))
    val fields = if (tag == null) mapOf() else mapOf("If-Match" to tag)
    return send("POST", "$LAYOUT/operations", Operations(operations = listOf(operation), baseVersion = base), fields)
}

fun main(arguments: Array<String>) {
    address = arguments[0]

    val read = send("GET", LAYOUT)
    val layout = read.read<Layout>()
    check(layout.version == 0L && layout.favorites.first() == "scan" && read.tag == "\"0+c1\"") { read.content }

    val moved = move("ride", AtIndex(index = 2), tag = read.tag).read<Change>()
    check(moved.layout.favorites[2] == "ride" && moved.outcomes[0].result == Outcome.Result.applied) { moved }

    val refused = move("scan", AtIndex(index = 3))
    check(refused.status == 422 && refused.read<Problem>().code == ProblemCode.item_not_movable) { refused.content }

    val stale = move("ride", AtEdge(edge = AtEdge.Edge.last), tag = read.tag)
    check(stale.status == 412 && stale.read<Problem>().current?.version == 1L) { stale.content }

    val added = send("PUT", "$LAYOUT/favorites/metro")
    check(added.status == 201 && added.read<Change>().layout.favorites.last() == "metro") { added.content }
    val removed = send("DELETE", "$LAYOUT/favorites/food-delivery").read<Change>()
    check("food-delivery" !in removed.layout.favorites) { removed }

    val rebased = move("transfer", AtAfter(after = "food-delivery"), base = 1).read<Change>()
    check(rebased.rebasedFrom == 1L && rebased.outcomes[0].result == Outcome.Result.anchor_substituted) { rebased }
    check(rebased.outcomes[0].at?.actualInstance == AtAfter(after = "phone-topup")) { rebased }

    val page = send(
        "GET", "/v1/users/alice/page?platform=ios&appVersion=10.3", fields = mapOf("Accept-Language" to "de")).read<Page>()
    check(page.locale == "de" && page.sections[0].cells[0].refusal?.code == ProblemCode.item_not_movable) { page }
}
