// What generated clients ask of OkHttp 4, on the HTTP client that Java brings along: neither Debian nor PyPI has the
// library. It lets their HTTP part be compiled and run as it was generated.
package okhttp3

import java.io.ByteArrayInputStream
import java.io.Closeable
import java.io.File
import java.io.InputStream
import java.net.URI
import java.net.URLEncoder
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse

class MediaType(private val text: String) {
    override fun toString() = text

    companion object {
        fun String.toMediaTypeOrNull(): MediaType? = MediaType(this)
    }
}

open class RequestBody(val type: MediaType?, val octets: ByteArray) {
    companion object {
        fun ByteArray.toRequestBody(type: MediaType? = null) = RequestBody(type, this)
        fun String.toRequestBody(type: MediaType? = null) = RequestBody(type, toByteArray())
        fun File.asRequestBody(type: MediaType? = null) = RequestBody(type, readBytes())
    }
}

/** No operation takes one; the client has to compile. */
class FormBody {
    class Builder {
        fun add(name: String, value: String): Builder = throw UnsupportedOperationException("$name=$value")
        fun build(): RequestBody = throw UnsupportedOperationException()
    }
}

/** As `FormBody`. */
class MultipartBody {
    class Builder {
        fun setType(type: MediaType): Builder = throw UnsupportedOperationException("$type")
        fun addPart(headers: Headers, body: RequestBody): Builder = throw UnsupportedOperationException("$headers $body")
        fun build(): RequestBody = throw UnsupportedOperationException()
    }

    companion object {
        val FORM = MediaType("multipart/form-data")
    }
}

class Headers(val lines: List<Pair<String, String>>) {
    fun toMultimap(): Map<String, List<String>> = lines.groupBy({ it.first.lowercase() }, { it.second })

    class Builder {
        private val lines = mutableListOf<Pair<String, String>>()

        fun add(name: String, value: String) = apply { lines += name to value }
        fun build() = Headers(lines)
    }

    companion object {
        fun Map<String, String>.toHeaders() = Headers(toList())
    }
}

class HttpUrl private constructor(private val path: String, private val query: List<String>) {
    override fun toString() = if (query.isEmpty()) path else path + query.joinToString("&", prefix = "?")
    val encodedPathSegments get() = path.substringAfter("://").split("/").drop(1)
    fun newBuilder() = Builder(path)

    class Builder(private var path: String = "") {
        private val query = mutableListOf<String>()

        fun scheme(scheme: String) = apply { path = "$scheme://" }
        fun host(host: String) = apply { path += host }
        fun addEncodedPathSegments(segments: String) = apply { path = path.trimEnd('/') + "/" + segments }
        fun addPathSegment(segment: String) = addEncodedPathSegments(encoded(segment))
        fun addQueryParameter(name: String, value: String) = apply { query += encoded(name) + "=" + encoded(value) }
        fun build() = HttpUrl(path, query)

        private fun encoded(text: String) = URLEncoder.encode(text, Charsets.UTF_8).replace("+", "%20")
    }

    companion object {
        fun String.toHttpUrlOrNull(): HttpUrl? = HttpUrl(this, listOf())
    }
}

class Request(val url: HttpUrl, val method: String, val headers: Headers, val body: RequestBody?) {
    class Builder {
        private lateinit var url: HttpUrl
        private var method = "GET"
        private var headers = Headers(listOf())
        private var body: RequestBody? = null

        fun url(url: HttpUrl) = apply { this.url = url }
        fun headers(headers: Headers) = apply { this.headers = headers }
        fun head() = method("HEAD", null)
        fun delete(body: RequestBody?) = method("DELETE", body)
        fun patch(body: RequestBody) = method("PATCH", body)
        fun post(body: RequestBody) = method("POST", body)
        fun put(body: RequestBody) = method("PUT", body)

        fun method(method: String, body: RequestBody?) = apply {
            this.method = method
            this.body = body
        }

        fun build() = Request(url, method, headers, body)
    }
}

class ResponseBody(private val octets: ByteArray) {
    fun string() = String(octets)
    fun bytes() = octets
    fun byteStream(): InputStream = ByteArrayInputStream(octets)
}

class Response(val code: Int, val headers: Headers, val body: ResponseBody?) : Closeable {
    val message = ""
    val isSuccessful get() = code in 200..299
    val isRedirect get() = code in 300..399
    fun header(name: String): String? = headers.toMultimap()[name.lowercase()]?.last()
    override fun close() {}
}

interface Callback

interface Call {
    fun execute(): Response

    interface Factory {
        fun newCall(request: Request): Call
    }
}

class OkHttpClient : Call.Factory {
    private val client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()

    override fun newCall(request: Request) = object : Call {
        override fun execute(): Response {
            val content = request.body?.octets
            val publisher =
                if (content == null || content.isEmpty()) HttpRequest.BodyPublishers.noBody()
                else HttpRequest.BodyPublishers.ofByteArray(content)
            val message = HttpRequest.newBuilder(URI(request.url.toString())).method(request.method, publisher)
            request.headers.lines.forEach { (name, value) -> message.header(name, value) }
            val answer = client.send(message.build(), HttpResponse.BodyHandlers.ofByteArray())
            val lines = answer.headers().map().flatMap { (name, values) -> values.map { name to it } }
            return Response(answer.statusCode(), Headers(lines), ResponseBody(answer.body()))
        }
    }

    class Builder {
        fun build() = OkHttpClient()
    }
}
