import APIDocument

/// The OpenAPI document: the files of `Sources/APIDocument`, joined. They are objects, so joining needs no parser.
enum OpenAPIDocument {
    static func joined() -> [UInt8] {
        var document: [UInt8] = Array("{".utf8)
        document += members(of: api_document_head)
        document += ",\n\"paths\": {".utf8
        document += members(of: api_document_paths)
        document += "},\n\"components\": {\n\"schemas\": {".utf8
        document += members(of: api_document_schemas)
        for (name, part) in [
            ("parameters", api_document_parameters), ("headers", api_document_headers),
            ("responses", api_document_responses), ("securitySchemes", api_document_security),
        ] {
            document += "},\n\"\(name)\": {".utf8
            document += members(of: part)
        }
        document += "}\n},\n\"x-problem-codes\": {".utf8
        document += members(of: api_document_problems)
        document += "}\n}\n".utf8
        return document
    }

    /// The members of a part's objects, without the braces around them.
    private static func members(of part: api_document_part) -> [UInt8] {
        var members: [UInt8] = []
        var index = 0
        while case let file = api_document_get(part, index), file.count > 0 {
            let octets = UnsafeBufferPointer(start: file.octets, count: file.count)
            guard let open = octets.firstIndex(of: UInt8(ascii: "{")),
                let close = octets.lastIndex(of: UInt8(ascii: "}"))
            else { preconditionFailure("Every file of the document is an object.") }
            if index > 0 { members.append(UInt8(ascii: ",")) }
            members += octets[(open + 1)..<close]
            index += 1
        }
        return members
    }
}
