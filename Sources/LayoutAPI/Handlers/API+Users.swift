import HTTP1
import LayoutApplication
import LayoutModel

extension API {
    /// The users who have a stored layout, in the order of their ids' bytes, those whose ids begin with `prefix`.
    func listUsers(_ call: Call) throws -> Answer {
        let size = try call.integer("pageSize", in: 1...200) ?? 50
        let prefix = try call.userPrefix()
        let last = try call.userPageToken()
        return later(call) { [self] in
            let found = try await users(beginningWith: prefix, after: last, limit: size + 1)
            return KeysetPage(found, size: size) { Base64URL.encode($0.user.text.utf8) }
                .response(
                    to: call, naming: "users", cacheControl: "private, no-store",
                    keeping: prefix.map { ["prefix": $0.text] } ?? [:]
                ) { $0.user($1.user, $1.layout) }
        }
    }

    /// Ids that begin alike stand together, and the prefix itself, where it is a user's id, before all of them.
    private func users(
        beginningWith prefix: UserID?, after last: UserID?, limit: Int
    ) async throws -> [(user: UserID, layout: StoredLayout)] {
        guard let prefix else { return try await layouts.layouts(after: last, limit: limit) }
        var found: [(user: UserID, layout: StoredLayout)] = []
        if last == nil {
            let own = try await layouts.layout(of: prefix).layout
            if own != .never { found.append((prefix, own)) }
        }
        let rest = try await layouts.layouts(after: last ?? prefix, limit: limit - found.count)
        return found + rest.prefix { $0.user.text.utf8.starts(with: prefix.text.utf8) }
    }
}

extension Call {
    /// What a user's id is to begin with; nil for anything.
    fileprivate func userPrefix() throws -> UserID? {
        guard let text = text("prefix"), !text.isEmpty else { return nil }
        guard let prefix = UserID(stored: text) else {
            throw Problem.invalidParameter(
                "prefix", "'prefix' is the beginning of a user id: at most 128 bytes without control characters.")
        }
        return prefix
    }

    /// The user after whom the page begins.
    fileprivate func userPageToken() throws -> UserID? {
        guard let token = text("pageToken") else { return nil }
        guard let octets = Base64URL.decode(token.utf8), let text = String(validating: octets, as: UTF8.self),
            let user = UserID(stored: text)
        else {
            throw Problem.invalidParameter("pageToken", "'pageToken' is the nextPageToken of a page, as it was given.")
        }
        return user
    }
}

extension JSONWriter {
    fileprivate mutating func user(_ user: UserID, _ layout: StoredLayout) {
        object { json in
            json.member("userId", user.text)
            json.member("version", layout.version)
            json.member("customized", layout.customized)
            json.member("locked", layout.locked)
            json.name("updatedAt")
            if let updatedAt = layout.updatedAt { json.timestamp(updatedAt) } else { json.null() }
        }
    }
}
