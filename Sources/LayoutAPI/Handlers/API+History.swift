import HTTP1
import LayoutApplication
import LayoutModel

extension API {
    /// Newest first; `pageToken` is the version below which the next page begins.
    func listRevisions(_ call: Call) throws -> Answer {
        let user = try call.client().user
        let size = try call.integer("pageSize", in: 1...200) ?? 50
        let below = try call.integer("pageToken", in: 1...Call.largestNumber).map(Version.init)
        return later(call) { [self] in
            let revisions = try await layouts.revisions(of: user, below: below, limit: size + 1)
            return KeysetPage(revisions, size: size) { String($0.layout.version) }
                .response(to: call, naming: "revisions", cacheControl: "private, no-cache") { $0.revision($1) }
        }
    }

    func getRevision(_ call: Call) throws -> Answer {
        let user = try call.client().user
        let version = call.version()
        return later(call) { [self] in
            guard let version, let revision = try await layouts.revision(version, of: user) else {
                let newest = try await layouts.layout(of: user).layout.version
                guard let version, (1..<max(newest, 1)).contains(version) else {
                    throw Problem.noVersion(newest: newest)
                }
                throw Problem.revisionGone(version)
            }
            let representation = Representation(tag: "\(version)", cacheControl: "private, no-cache")
            return try representation.response(to: call.request, tags: tags) {
                var json = JSONWriter()
                json.revision(revision)
                return json.octets
            }
        }
    }

    /// Undo: an earlier version again, as a new one.
    func revertLayout(_ call: Call) throws -> Answer { try write(try call.content().reversion(), call) }
}

extension JSONInput {
    /// `{"toVersion": n}`
    fileprivate func reversion() throws(ContentFault) -> LayoutCommand {
        .revert(to: try object().only("toVersion").required("toVersion").version())
    }
}

extension Problem {
    fileprivate static func revisionGone(_ version: Version) -> Problem {
        Problem(.revisionGone, "Version \(version) is older than the history that is kept.")
    }
}
