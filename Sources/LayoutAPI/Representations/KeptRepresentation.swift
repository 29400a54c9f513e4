import HTTP1
import LayoutApplication

/// A representation with its content, in memory for many requests: its answers are made once, and a request gets one of
/// them with nothing added.
struct KeptRepresentation: Sendable {
    private let representation: Representation
    private let plain: Variant
    /// There where the content is large enough to gain from it.
    private let gzip: Variant?

    /// One coding of the content, with the answers that it can give.
    private struct Variant: Sendable {
        let quotedTag: [UInt8]
        let found: Response
        let notModified: Response

        init(_ representation: Representation, _ content: [UInt8], in coding: ContentCoding) {
            quotedTag = Array(representation.quotedTag(in: coding).utf8)
            found = representation.ok(content, in: coding)
            notModified = Response(.notModified, fields: representation.validators(in: coding))
        }
    }

    init(_ representation: Representation, content: [UInt8]) {
        self.representation = representation
        plain = Variant(representation, content, in: .identity)
        let coded = content.count > Gzip.smallestContent ? Gzip.encode(content) : nil
        gzip = coded.map { Variant(representation, $0, in: .gzip) }
    }

    /// See `Representation.response(to:tags:content:)`.
    func response(to request: Request, tags: EntityTags) throws -> Response {
        try tags.checkMatch(of: request, on: representation.tag)
        var response = try answer(to: request, tags)
        response.omitsContent = request.method == .head
        return response
    }

    private func answer(to request: Request, _ tags: EntityTags) throws -> Response {
        // What a client sends nearly always: the one tag that it was given.
        if let value = request.fields.single("If-None-Match") {
            if value.elementsEqual(plain.quotedTag) { return plain.notModified }
            if let gzip, value.elementsEqual(gzip.quotedTag) { return gzip.notModified }
        }
        if let coding = try tags.coding(of: representation.tag, heldBy: request) {
            return (coding == .gzip ? gzip ?? plain : plain).notModified
        }
        if let gzip, Accept.asksForGzip(request.fields) { return gzip.found }
        return plain.found
    }
}
