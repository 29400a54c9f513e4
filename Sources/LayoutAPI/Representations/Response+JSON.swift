import HTTP1

extension Response {
    /// An answer that is nobody's to keep, or whose tag is that of something else.
    ///
    /// - Parameter tag: the opaque part of the entity tag of the state that is answered.
    static func json(
        _ content: [UInt8], status: Status = .ok, tag: String? = nil, cacheControl: String = "no-store"
    ) -> Response {
        var fields = Fields()
        fields.append(name: "Content-Type", value: "application/json")
        if let tag { fields.append(name: "ETag", value: "\"\(tag)\"") }
        fields.append(name: "Cache-Control", value: cacheControl)
        return Response(status, fields: fields, content: .bytes(content))
    }
}
