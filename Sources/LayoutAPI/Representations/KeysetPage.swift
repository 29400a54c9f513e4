import HTTP1

/// One page of a longer list, and where the next begins: by a key of the list, so that nothing is skipped or given twice
/// while the list grows.
struct KeysetPage<Element> {
    let elements: ArraySlice<Element>
    /// The `pageToken` of the next page; nil on the last.
    let next: String?
    private let size: Int

    /// - Parameters:
    ///   - found: up to one element more than the page holds.
    ///   - key: of letters, digits, `-` and `_`, which a query takes as they are.
    init(_ found: [Element], size: Int, key: (Element) -> String) {
        elements = found.prefix(size)
        next = found.count > size ? elements.last.map(key) : nil
        self.size = size
    }

    /// `{name: [elements], "nextPageToken"?}`, and the next page as a link too (RFC 8288), for clients that read no bodies.
    ///
    /// - Parameter parameters: what else the link to the next page has to say.
    func response(
        to call: Call, naming name: StaticString, cacheControl: String,
        keeping parameters: KeyValuePairs<StaticString, String> = [:], _ write: (inout JSONWriter, Element) -> Void
    ) -> Response {
        var json = JSONWriter(reserving: 4 * 1_024)
        json.object { json in
            json.name(name)
            json.array(elements, write)
            if let next { json.member("nextPageToken", next) }
        }
        var response = Response.json(json.octets, cacheControl: cacheControl)
        if let next {
            let path = call.request.target.pathAsItCame
            let rest = parameters.map { "&\($0.key)=\($0.value.percentEncoded)" }.joined()
            response.fields.append(
                name: "Link", value: "<\(path)?pageSize=\(size)&pageToken=\(next)\(rest)>; rel=\"next\"")
        }
        response.omitsContent = call.request.method == .head
        return response
    }
}

extension String {
    /// For a query: all but what RFC 3986 §2.3 leaves as it is.
    fileprivate var percentEncoded: String {
        utf8.map { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(octet))
            default: (octet < 16 ? "%0" : "%") + String(octet, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
