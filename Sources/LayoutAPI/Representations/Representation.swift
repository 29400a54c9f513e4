import HTTP1
import LayoutApplication

/// What is known of a representation before its content is made: all that a conditional request is answered by.
struct Representation: Sendable {
    /// The opaque part of the entity tag, without coding.
    var tag: String
    var mediaType = "application/json"
    var cacheControl: String
    /// Fields of the request on which the content depends, apart from its coding.
    var vary: String?
    var language: String?
    /// What a browser may do with it (Content-Security-Policy): for pages, and what they load.
    var contentPolicy: String?

    /// The answer to a GET or HEAD (RFC 9110 §13.2.2). `content` is called only where it goes out: a 304 costs none.
    ///
    /// - Throws: a `Problem` for a malformed condition; `Precondition.Failure` for `If-Match` on another tag.
    func response(to request: Request, tags: EntityTags, content: () -> [UInt8]) throws -> Response {
        try tags.checkMatch(of: request, on: tag)
        var response: Response
        if let coding = try tags.coding(of: tag, heldBy: request) {
            response = Response(.notModified, fields: validators(in: coding))
        } else {
            let content = content()
            response = ok(content, in: .identity)
            if content.count > Gzip.smallestContent, Accept.asksForGzip(request.fields),
                let coded = Gzip.encode(content)
            {
                response = ok(coded, in: .gzip)
            }
        }
        response.omitsContent = request.method == .head
        return response
    }

    /// The tag in one coding: an answer in another coding is another representation (RFC 9110 §8.8.3.3).
    func quotedTag(in coding: ContentCoding) -> String {
        coding == .gzip ? "\"\(tag)\(EntityTags.gzipSuffix)\"" : "\"\(tag)\""
    }

    /// What goes with a 304 as well (RFC 9110 §15.4.5).
    func validators(in coding: ContentCoding) -> Fields {
        var fields = Fields()
        fields.append(name: "ETag", value: quotedTag(in: coding))
        fields.append(name: "Cache-Control", value: cacheControl)
        fields.append(name: "Vary", value: vary.map { "\($0), Accept-Encoding" } ?? "Accept-Encoding")
        if let contentPolicy { fields.append(name: "Content-Security-Policy", value: contentPolicy) }
        return fields
    }

    func ok(_ content: [UInt8], in coding: ContentCoding) -> Response {
        ok(content, in: coding, validators(in: coding))
    }

    /// The same with the validators at hand, as a 304 has them.
    func ok(_ content: [UInt8], in coding: ContentCoding, _ validators: Fields) -> Response {
        var fields = validators
        fields.append(name: "Content-Type", value: mediaType)
        if let language { fields.append(name: "Content-Language", value: language) }
        if coding == .gzip { fields.append(name: "Content-Encoding", value: "gzip") }
        return Response(.ok, fields: fields, content: .bytes(content))
    }
}

enum ContentCoding: Sendable { case identity, gzip }
