import HTTP1
import LayoutApplication
import LayoutModel

/// What support does for a user, and what the law asks for.
extension API {
    func lockLayout(_ call: Call) throws -> Answer { try write(.lock(true), call) }

    func unlockLayout(_ call: Call) throws -> Answer { try write(.lock(false), call) }

    /// Everything that is held about the user.
    func getUser(_ call: Call) throws -> Answer {
        let user = try call.user()
        return later(call) { [self] in
            let layout = try await layouts.layout(of: user).layout
            let revisions = try await layouts.revisions(of: user, below: nil, limit: .max)
            let requests = try await layouts.recordedRequests(of: user)
            var json = JSONWriter(reserving: 16 * 1_024)
            json.object { json in
                json.member("userId", user.text)
                json.name("layout")
                json.object { $0.storedLayout(layout) }
                json.name("revisions")
                json.array(revisions) { $0.revision($1) }
                json.name("recordedRequests")
                json.array(requests) { $0.recorded($1) }
            }
            var response = Response.json(json.octets, cacheControl: "private, no-store")
            response.omitsContent = call.request.method == .head
            return response
        }
    }

    /// Erases it. Repeating is a no-op. What support has frozen only an administrator erases.
    func eraseUser(_ call: Call) throws -> Answer {
        let client = try call.client()
        let precondition = try tags.precondition(of: call.request, isRequired: false)
        let isLockMinded = !settings.authentication.isAdministrator(call.principal)
        return later(call) { [self] in
            try await layouts.erase(client, if: precondition, mindingLock: isLockMinded)
            return Response(.noContent)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func recorded(_ request: RecordedRequest) {
        object { json in
            json.member("scope", request.scope)
            json.member("key", request.key)
            json.member("status", request.status)
            json.name("recordedAt")
            json.timestamp(request.recordedAt)
        }
    }
}
