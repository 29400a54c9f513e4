import HTTP1
import LayoutApplication
import LayoutModel

extension API {
    func getCatalog(_ call: Call) throws -> Answer {
        let published = catalogs.current
        let revision = published.catalog.revision
        let kept = servedCatalog.value(for: revision) {
            KeptRepresentation(representation(ofCatalog: revision), content: published.document)
        }
        return .now(try kept.response(to: call.request, tags: tags))
    }

    func getCatalogRevision(_ call: Call) throws -> Answer {
        guard let revision = call.revision() else {
            throw Problem.noCatalogRevision(newest: catalogs.revision)
        }
        return later(call) { [self] in
            guard let record = try await catalogs.revision(revision) else {
                throw Problem.noCatalogRevision(newest: catalogs.revision)
            }
            return try representation(ofCatalog: revision).response(to: call.request, tags: tags) { record.document }
        }
    }

    private func representation(ofCatalog revision: Int) -> Representation {
        Representation(tag: "\(revision)", cacheControl: "no-cache")
    }

    /// Newest first; `pageToken` is the revision below which the next page begins.
    func listCatalogRevisions(_ call: Call) throws -> Answer {
        let size = try call.integer("pageSize", in: 1...200) ?? 50
        let below = try call.integer("pageToken", in: 1...Call.largestNumber)
        return later(call) { [self] in
            let revisions = try await catalogs.revisions(below: below, limit: size + 1)
            return KeysetPage(revisions, size: size) { String($0.revision) }
                .response(to: call, naming: "revisions", cacheControl: "no-cache") { $0.revision($1) }
        }
    }

    func publishCatalog(_ call: Call) throws -> Answer {
        let draft = try call.content().catalog()
        let precondition = try tags.precondition(of: call.request, isRequired: true)
        if try call.flag("validateOnly") { return rehearse(draft, if: precondition, call) }
        return later(call) { [self] in
            let published = try await catalogs.publish(draft, by: call.principal.name, if: precondition)
            return .json(published.document, tag: "\(published.catalog.revision)")
        }
    }

    private func rehearse(_ draft: CatalogDraft, if precondition: Precondition, _ call: Call) -> Answer {
        later(call) { [self] in
            let rehearsal = try await catalogs.rehearse(draft, if: precondition)
            var json = JSONWriter()
            json.object { json in
                json.member("validateOnly", true)
                json.member("revision", rehearsal.catalog.revision)
                json.member("changesLayouts", rehearsal.catalog.layoutRevision == rehearsal.catalog.revision)
                json.member("layouts", rehearsal.layouts)
                json.member("layoutsChanged", rehearsal.changed)
                json.name("faults")
                json.array { _ in }
            }
            return .json(json.octets)
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
