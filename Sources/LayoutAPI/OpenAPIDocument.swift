import APIDocument

/// The OpenAPI document: the files of `Sources/APIDocument`, joined. They are objects, so joining needs no parser.
///
/// OpenAPI has no word for what every answer carries. It stands in a file of its own, and is put before the fields of each
/// response.
enum OpenAPIDocument {
    static func joined() -> [UInt8] {
        var document: [UInt8] = Array("{".utf8)
        document += members(of: api_document_head)
        document += ",\n\"paths\": {".utf8
        document += responding(members(of: api_document_paths))
        document += "},\n\"components\": {\n\"schemas\": {".utf8
        document += members(of: api_document_schemas)
        for (name, members) in [
            ("parameters", members(of: api_document_parameters)), ("headers", members(of: api_document_headers)),
            ("responses", responding(members(of: api_document_responses))),
            ("securitySchemes", members(of: api_document_security)),
        ] {
            document += "},\n\"\(name)\": {".utf8
            document += members
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

    /// With what every answer carries.
    private static func responding(_ members: [UInt8]) -> [UInt8] {
        var document: [UInt8] = []
        for octet in members {
            document.append(octet)
            // Not `firstRange(of:)`, which would bring the regular expressions' library along.
            if octet == opening.last, document.suffix(opening.count) == opening[...] { document += everyAnswer }
        }
        return document
    }

    /// Only responses have fields.
    private static let opening = Array("\"headers\": {".utf8)
    private static let everyAnswer = members(of: api_document_every_answer) + [UInt8(ascii: ",")]
}
