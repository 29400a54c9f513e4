import HTTP1
import LayoutApplication
import LayoutModel

extension API {
    func getPage(_ call: Call) throws -> Answer {
        let client = try call.client()
        return later(call) {
            let view = layouts.view(try await layouts.layout(of: client.user).layout, for: client)
            let catalog = view.layout.catalog
            let language = Accept.language(call.request.fields, of: catalog.languages, or: catalog.defaultLanguage)
            let page = Page(view.layout, stored: view.stored, language: language)
            var json = JSONWriter(reserving: 32 * 1_024)
            json.page(page, wording: .in(language))
            // Covers all that is shown: the layout's state, the whole catalog, the language.
            return try Representation(
                tag: "\(view.stored.version).\(catalog.revision).\(language)", content: json.octets,
                cacheControl: "private, no-cache", vary: "Accept-Language", language: language
            ).response(to: call.request, tags: tags)
        }
    }
}
