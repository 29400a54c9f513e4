import HTTP1
import LayoutApplication
import LayoutModel

extension API {
    func getPage(_ call: Call) throws -> Answer {
        let client = try call.client()
        if let entry = layouts.layoutAtHand(of: client.user) { return .now(try page(call, of: entry, for: client)) }
        return later(call) { [self] in try page(call, of: try await layouts.layout(of: client.user), for: client) }
    }

    private func page(_ call: Call, of entry: LayoutEntry, for client: Client) throws -> Response {
        try pageRepresentation(of: entry, for: client, call).response(to: call.request, tags: tags)
    }

    /// As for the layout; the languages that were asked for have to be the same, too.
    private func pageRepresentation(of entry: LayoutEntry, for client: Client, _ call: Call) -> KeptRepresentation {
        let query = call.queryOctets
        let languages = call.request.fields.occurrence(of: "Accept-Language")
        if let asked = languages.octets, let kept = Renderings.of(entry)?.page,
            kept.fits(catalogRevision: catalogs.revision, query: query, languages: asked)
        {
            return kept.representation
        }
        let view = layouts.view(entry.layout, for: client)
        let catalog = view.layout.catalog
        let language = Accept.language(call.request.fields, of: catalog.languages, or: catalog.defaultLanguage)
        var json = JSONWriter(reserving: 32 * 1_024)
        let page = Page(view.layout, stored: view.stored, language: language)
        json.page(page, cellTexts.texts(of: catalog, in: language), wording: .in(language))
        // The tag covers all that is shown: the layout's state, the whole catalog, the language.
        let representation = KeptRepresentation(
            Representation(
                tag: "\(view.stored.version).\(catalog.revision).\(language)", cacheControl: "private, no-cache",
                vary: "Accept-Language", language: language), content: json.octets)
        if let asked = languages.octets {
            let rendering = Rendering(
                representation, catalogRevision: catalog.revision, query: Array(query), languages: Array(asked))
            pages.add(rendering)
            Renderings.keep(page: rendering, on: entry)
        }
        return representation
    }
}

extension Fields.Occurrence {
    /// Nothing where the field is absent; nil where it stands several times, and no one text says it all.
    fileprivate var octets: ArraySlice<UInt8>? {
        switch self {
        case .none: []
        case .once(let value): value
        case .several: nil
        }
    }
}
