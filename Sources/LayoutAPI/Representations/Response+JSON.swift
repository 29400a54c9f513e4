import HTTP1

extension Response {
    /// An answer that is nobody's to keep, or whose tag is that of something else.
    ///
    /// - Parameter tag: the opaque part of the entity tag of the state that is answered.
    static func json(
        _ content: [UInt8], status: Status = .ok, tag: String? = nil, cacheControl: String = "no-store"
    ) -> Response {
        var fields = cacheControl == "no-store" ? unstored : json(cacheControl: cacheControl)
        if let tag { fields.append(name: "ETag", value: "\"\(tag)\"") }
        return Response(status, fields: fields, content: .bytes(content))
    }

    /// What every answer to a write begins with.
    private static let unstored = json(cacheControl: "no-store")

    private static func json(cacheControl: String) -> Fields {
        var fields = Fields()
        fields.append(name: "Content-Type", value: "application/json")
        fields.append(name: "Cache-Control", value: cacheControl)
        return fields
    }
}
