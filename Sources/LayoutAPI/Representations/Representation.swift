import HTTP1
import LayoutApplication

/// A representation that can be given to many requests: its fields are made once, and an answer is one of these with
/// nothing added. It may be kept in memory beside what it was made of.
struct Representation: Sendable {
    /// The opaque part of the entity tag.
    let tag: String
    private let plain: Variant
    /// There where the content is large enough to gain from it.
    private let gzip: Variant?

    /// One coding of the content, with the answers that it can give.
    private struct Variant: Sendable {
        let quotedTag: [UInt8]
        let found: Response
        let notModified: Response
    }

    /// - Parameter fields: what goes with every answer, 304 included: `Cache-Control`, `Vary` …
    /// - Parameter vary: fields of the request on which the content depends, apart from its coding.
    init(
        tag: String, content: [UInt8], mediaType: String = "application/json", cacheControl: String,
        vary: String? = nil, language: String? = nil
    ) {
        self.tag = tag
        let coded = content.count > Gzip.smallestContent ? Gzip.encode(content) : nil
        let varies = [vary, coded == nil ? nil : "Accept-Encoding"].compactMap { $0 }.joined(separator: ", ")
        func variant(_ tag: String, _ content: [UInt8], coding: String?) -> Variant {
            var validator = Fields()
            validator.append(name: "ETag", value: "\"\(tag)\"")
            validator.append(name: "Cache-Control", value: cacheControl)
            if !varies.isEmpty { validator.append(name: "Vary", value: varies) }
            var fields = validator
            fields.append(name: "Content-Type", value: mediaType)
            if let language { fields.append(name: "Content-Language", value: language) }
            if let coding { fields.append(name: "Content-Encoding", value: coding) }
            return Variant(
                quotedTag: Array("\"\(tag)\"".utf8), found: Response(.ok, fields: fields, content: .bytes(content)),
                notModified: Response(.notModified, fields: validator))
        }
        plain = variant(tag, content, coding: nil)
        gzip = coded.map { variant(tag + EntityTags.gzipSuffix, $0, coding: "gzip") }
    }

    /// The answer to a GET or HEAD: 200 in the coding that was asked for, or 304 (RFC 9110 §13.2.2).
    ///
    /// - Throws: a `Problem` for a malformed condition; `Precondition.Failure` for `If-Match` on another tag.
    func response(to request: Request, tags: EntityTags) throws -> Response {
        if request.fields.contains("If-Match"),
            let failure = Precondition(match: try tags.tags(in: "If-Match", of: request)).failure(on: tag)
        {
            throw failure
        }
        let chosen = if let gzip, Accept.asksForGzip(request.fields) { gzip } else { plain }
        if let value = request.fields.firstOctets("If-None-Match") {
            // What a client sends nearly always: the one tag that it was given, and in that coding it has the content.
            if value.elementsEqual(plain.quotedTag) { return answer(plain.notModified, to: request) }
            if let gzip, value.elementsEqual(gzip.quotedTag) { return answer(gzip.notModified, to: request) }
            if try matches(request, tags) { return answer(chosen.notModified, to: request) }
        }
        return answer(chosen.found, to: request)
    }

    private func matches(_ request: Request, _ tags: EntityTags) throws -> Bool {
        switch try tags.tags(in: "If-None-Match", of: request) {
        case .any: true
        // RFC 9110 §8.8.3.2, weak comparison: W/"7" matches "7".
        case .tags(let list): list.contains { $0.opaque == tag }
        case nil: false
        }
    }

    private func answer(_ response: Response, to request: Request) -> Response {
        guard request.method == .head else { return response }
        var response = response
        response.omitsContent = true
        return response
    }
}
