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
            // The tag covers all that is shown: the layout's state, the whole catalog, the language.
            let representation = Representation(
                tag: "\(view.stored.version).\(catalog.revision).\(language)", cacheControl: "private, no-cache",
                vary: "Accept-Language", language: language)
            return try representation.response(to: call.request, tags: tags) {
                var json = JSONWriter(reserving: 32 * 1_024)
                json.page(Page(view.layout, stored: view.stored, language: language), wording: .in(language))
                return json.octets
            }
        }
    }
}
