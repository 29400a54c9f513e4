public import Foundation
import LayoutModel

/// A catalog as it was published: what there is, in which sections, and what may be done to it.
public struct CatalogSnapshot: Sendable {
    public let revision: Int
    /// As the server gave it.
    public let document: Data
    let catalog: LayoutModel.Catalog

    /// - Throws: `PegboardError.unexpectedAnswer` where it is no catalog, or one that breaks the rules known here.
    public init(document: Data) throws(PegboardError) {
        do {
            let content = try JSONDecoder().decode(CatalogContent.self, from: document)
            catalog = try content.draft.published(as: content.revision, layoutRevision: content.revision)
            revision = content.revision
            self.document = document
        } catch {
            throw .unexpectedAnswer(status: 200, reason: "not a catalog: \(error)")
        }
    }
}

private struct CatalogContent: Decodable {
    var revision: Int
    var defaultLanguage: String?
    var policy: Policy
    var defaults: [String]
    var sections: [Section]
    var functions: [Function]

    struct Policy: Decodable {
        var minimum: Int?
        var limit: Int
    }

    struct Section: Decodable {
        var id: String
        var title: [String: String]
        var functions: [String]
    }

    struct Function: Decodable {
        var id: String
        var title: [String: String]
        var icon: String?
        var link: String?
        var movable: Bool?
        var removable: Bool?
        var required: Bool?
        var pin: Int?
        var status: String?
        var availability: Availability?
    }

    struct Availability: Decodable {
        var platforms: [String]?
        var minimumVersion: [String: String]?
        var maximumVersion: [String: String]?
        var rollout: Int?
    }

    var draft: CatalogDraft {
        var draft = CatalogDraft()
        if let defaultLanguage { draft.defaultLanguage = defaultLanguage }
        draft.policy.minimum = policy.minimum ?? 0
        draft.policy.limit = policy.limit
        draft.defaults = defaults
        draft.sections = sections.map { .init(id: $0.id, title: Title($0.title), functions: $0.functions) }
        draft.functions = functions.map(\.draft)
        return draft
    }
}

extension CatalogContent.Function {
    fileprivate var draft: CatalogDraft.Function {
        var draft = CatalogDraft.Function(id: id, title: Title(title))
        draft.icon = icon
        draft.link = link
        draft.isMovable = movable ?? true
        draft.isRemovable = removable ?? true
        draft.isRequired = required ?? false
        draft.pin = pin
        draft.status = status ?? "active"
        draft.platforms = availability?.platforms
        draft.minimumVersion = availability?.minimumVersion ?? [:]
        draft.maximumVersion = availability?.maximumVersion ?? [:]
        draft.rollout = availability?.rollout ?? 100
        return draft
    }
}
