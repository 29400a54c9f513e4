import HTTP1
import LayoutApplication
import Locking

/// A representation with its content, in memory for many requests: its answers are made once, and a request gets one of
/// them with nothing added.
final class KeptRepresentation: Sendable {
    private let representation: Representation
    private let content: [UInt8]
    private let plain: Variant
    /// There where the content is large enough to gain from it. Its content is made when somebody asks for it.
    private let gzip: Variant?
    private let coded = Mutex<Response?>(nil)

    /// What one coding of the content is known by.
    private struct Variant: Sendable {
        let quotedTag: String
        let notModified: Response

        init(_ representation: Representation, in coding: ContentCoding) {
            quotedTag = representation.quotedTag(in: coding)
            notModified = Response(.notModified, fields: representation.validators(in: coding))
        }
    }

    private let found: Response

    init(_ representation: Representation, content: [UInt8]) {
        self.representation = representation
        self.content = content
        plain = Variant(representation, in: .identity)
        found = representation.ok(content, in: .identity, plain.notModified.fields)
        gzip = content.count > Gzip.smallestContent ? Variant(representation, in: .gzip) : nil
    }

    /// About what it takes in memory, in octets.
    var cost: Int { 1_024 + content.count + (gzip == nil ? 0 : content.count / 2) }

    /// See `Representation.response(to:tags:content:)`.
    func response(to request: Request, tags: EntityTags) throws -> Response {
        try tags.checkMatch(of: request, on: representation.tag)
        var response = try answer(to: request, tags)
        response.omitsContent = request.method == .head
        return response
    }

    private func answer(to request: Request, _ tags: EntityTags) throws -> Response {
        // What a client sends nearly always: the one tag that it was given.
        guard request.fields.contains("If-None-Match") else { return wanted(by: request) }
        if let value = request.fields.single("If-None-Match") {
            if value.hasSameOctets(as: plain.quotedTag) { return plain.notModified }
            if let gzip, value.hasSameOctets(as: gzip.quotedTag) { return gzip.notModified }
        }
        if let coding = try tags.coding(of: representation.tag, heldBy: request) {
            return (coding == .gzip ? gzip ?? plain : plain).notModified
        }
        return wanted(by: request)
    }

    /// In the coding that the client prefers.
    private func wanted(by request: Request) -> Response {
        if gzip != nil, Accept.asksForGzip(request.fields), let response = gzipped() { return response }
        return found
    }

    /// nil where there is no memory for it.
    private func gzipped() -> Response? {
        if let coded = coded.withLock({ $0 }) { return coded }
        // Outside the lock, perhaps by several at once.
        guard let octets = Gzip.encode(content) else { return nil }
        let response = representation.ok(octets, in: .gzip)
        coded.withLock { $0 = response }
        return response
    }
}
