import HTTP1
import LayoutApplication
import LayoutModel

extension API {
    func getCatalog(_ call: Call) throws -> Answer {
        let published = catalogs.current
        return .now(try catalogRepresentation(published.catalog.revision, published.document).response(to: call.request, tags: tags))
    }

    private func catalogRepresentation(_ revision: Int, _ document: [UInt8]) -> Representation {
        Representation(tag: "\(revision)", content: document, cacheControl: "no-cache")
    }

    func getCatalogRevision(_ call: Call) throws -> Answer {
        guard let number = call.revision() else { throw Problem.notFound }
        return later(call) {
            guard let record = try await catalogs.revision(number) else { throw Problem.notFound }
            return try catalogRepresentation(number, record.document).response(to: call.request, tags: tags)
        }
    }

    /// Newest first; `pageToken` is the revision below which the next page begins.
    func listCatalogRevisions(_ call: Call) throws -> Answer {
        let size = try call.integer("pageSize", in: 1...200) ?? 50
        let below = try call.integer("pageToken", in: 1...Int.max)
        return later(call) {
            let revisions = try await catalogs.revisions(below: below, limit: size + 1)
            let page = revisions.prefix(size)
            let next = revisions.count > size ? page.last?.revision : nil
            var json = JSONWriter()
            json.object { json in
                json.name("revisions")
                json.array(page) { $0.revision($1) }
                if let next { json.member("nextPageToken", String(next)) }
            }
            var fields = Fields()
            fields.append(name: "Content-Type", value: "application/json")
            fields.append(name: "Cache-Control", value: "no-cache")
            if let next {
                fields.append(
                    name: "Link", value: "</v1/catalog/revisions?pageSize=\(size)&pageToken=\(next)>; rel=\"next\"")
            }
            var response = Response(.ok, fields: fields, content: .bytes(json.octets))
            response.omitsContent = call.request.method == .head
            return response
        }
    }

    func publishCatalog(_ call: Call) throws -> Answer {
        let draft = try call.content().catalog()
        let precondition = try tags.precondition(of: call.request)
        if precondition.match == nil { throw Problem.preconditionRequired }
        if try call.flag("validateOnly") { return rehearse(draft, if: precondition, call) }
        return later(call) {
            let published = try await catalogs.publish(draft, by: call.principal.name, if: precondition)
            var fields = Fields()
            fields.append(name: "Content-Type", value: "application/json")
            fields.append(name: "ETag", value: "\"\(published.catalog.revision)\"")
            fields.append(name: "Cache-Control", value: "no-store")
            return Response(.ok, fields: fields, content: .bytes(published.document))
        }
    }

    private func rehearse(_ draft: CatalogDraft, if precondition: Precondition, _ call: Call) -> Answer {
        later(call) {
            let rehearsal = try await catalogs.rehearse(draft, if: precondition)
            var json = JSONWriter()
            json.object { json in
                json.member("validateOnly", true)
                json.member("revision", rehearsal.catalog.revision)
                json.member("changesLayouts", rehearsal.catalog.layoutRevision == rehearsal.catalog.revision)
                json.member("layouts", rehearsal.layouts)
                json.member("layoutsChanged", rehearsal.changed)
                json.name("faults")
                json.array {_ in }
            }
            var fields = Fields()
            fields.append(name: "Content-Type", value: "application/json")
            fields.append(name: "Cache-Control", value: "no-store")
            return Response(.ok, fields: fields, content: .bytes(json.octets))
        }
    }
}

extension JSONWriter {
    fileprivate mutating func revision(_ summary: CatalogRecord.Summary) {
        object { json in
            json.member("revision", summary.revision)
            json.name("publishedAt")
            json.timestamp(summary.publishedAt)
            json.member("publishedBy", summary.publishedBy)
        }
    }
}
