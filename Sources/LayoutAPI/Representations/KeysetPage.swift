import HTTP1

/// One page of a longer list, and where the next begins: by a key of the list, so that nothing is skipped or given twice
/// while the list grows.
struct KeysetPage<Element> {
    let elements: ArraySlice<Element>
    /// The `pageToken` of the next page; nil on the last.
    let next: String?
    private let size: Int

    /// - Parameter found: up to one element more than the page holds.
    init(_ found: [Element], size: Int, key: (Element) -> String) {
        elements = found.prefix(size)
        next = found.count > size ? elements.last.map(key) : nil
        self.size = size
    }

    /// `{name: [elements], "nextPageToken"?}`, and the next page as a link too (RFC 8288), for clients that read no bodies.
    func response(
        to call: Call, naming name: StaticString, cacheControl: String, _ write: (inout JSONWriter, Element) -> Void
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
            response.fields.append(name: "Link", value: "<\(path)?pageSize=\(size)&pageToken=\(next)>; rel=\"next\"")
        }
        response.omitsContent = call.request.method == .head
        return response
    }
}
