import HTTP1
import LayoutAPI
import LayoutApplication
import Testing

@Suite struct RoutingTests {
    private static let allowed = [
        ("/v1/users/u1/layout", "GET, HEAD, PUT, DELETE, OPTIONS"), ("/v1/users/u1/layout/operations", "POST, OPTIONS"),
        ("/v1/users/u1/layout/favorites/a", "PUT, DELETE, OPTIONS"),
        ("/v1/users/u1/layout/favorites/a/targets", "GET, HEAD, OPTIONS"),
        ("/v1/users/u1/page", "GET, HEAD, OPTIONS"), ("/v1/catalog", "GET, HEAD, PUT, OPTIONS"),
        ("/v1/catalog/revisions", "GET, HEAD, OPTIONS"),
        ("/v1/catalog/revisions/1", "GET, HEAD, OPTIONS"), ("/livez", "GET, HEAD, OPTIONS"),
        ("/readyz", "GET, HEAD, OPTIONS"),
        ("/healthz", "GET, HEAD, OPTIONS"),
    ]

    @Test(arguments: allowed)
    func everyResourceSaysWhichMethodsItHas(path: String, allowed: String) async throws {
        let service = try await TestService()
        let options = try await service.send(.options, path)
        #expect(options.status == 204)
        #expect(options.field("Allow") == allowed)
        #expect(options.octets.isEmpty)
        for method in [Method.get, .head, .post, .put, .patch, .delete, .trace] where !allowed.contains(method.rawValue)
        {
            let reply = try await service.send(method, path)
            #expect(reply.status == 405, "\(method)")
            #expect(reply.field("Allow") == allowed)
            #expect(reply.code == "method_not_allowed")
            #expect(reply.response.omitsContent == (method == .head))
        }
        let unknown = try await service.send(.other, path)
        #expect(unknown.status == 501)
        #expect(unknown.code == "not_implemented")
    }

    @Test func theServerItselfHasOptions() async throws {
        let service = try await TestService()
        let reply = try await service.send(.options, "*")
        #expect(reply.status == 204)
        #expect(reply.field("Allow") == "GET, HEAD, POST, PUT, DELETE, OPTIONS")
    }

    @Test(arguments: [
        "/", "/v1", "/v1/", "/v1/users", "/v1/users/u1/page/x", "/v1/users/u1/", "/v1/users/u1/layout/",
        "//v1/users/u1/layout", "/v1/users/u1/Layout", "/V1/catalog",
        "/v1%2Fusers/u1", "/v1/users/u1/layout/favorites", "/v1/users/u1/layout/favorites/a/b",
        "/v1/catalog/revisions/1/2", "/v1/catalog%2Frevisions",
        "/v1%FF/catalog", "/v1/%00catalog", "/livez/", "/v1/../v1/catalog", "/v1/./catalog",
    ])
    func aPathThatIsNoResourceIsNotFound(path: String) async throws {
        let service = try await TestService()
        for method in [Method.get, .head, .post, .put, .delete, .options, .patch] {
            let reply = try await service.send(method, path)
            #expect(reply.status == 404)
            #expect(reply.code == "not_found")
        }
        #expect(try await service.send(.other, path).status == 501)
    }

    // MARK: Probes

    @Test func theProcessIsAliveWhateverTheStorageDoes() async throws {
        let store = BrokenStore()
        let service = try await TestService(store: store)
        store.breakDown(with: StoreError.unavailable(reason: "disk I/O error"))
        for target in ["/livez", "/livez?verbose", "/livez?verbose=1"] {
            let reply = try await service.get(target)
            #expect(reply.status == 200)
            #expect(reply.text.hasSuffix("ok\n"))
            #expect(reply.field("Content-Type") == "text/plain; charset=utf-8")
            #expect(reply.field("Cache-Control") == "no-store")
        }
    }

    @Test(arguments: ["/readyz", "/healthz"])
    func readinessNamesTheCheckThatFails(path: String) async throws {
        let store = BrokenStore()
        let service = try await TestService(store: store)
        #expect(try await service.get(path).text == "ok\n")
        #expect(try await service.get("\(path)?verbose").text == "[+]storage ok\n[+]draining ok\nok\n")
        store.breakDown(with: StoreError.unavailable(reason: "disk I/O error"))
        service.advance(milliseconds: 100)
        let broken = try await service.get(path)
        #expect(broken.status == 503)
        #expect(broken.text == "[-]storage does not answer\n")
        #expect(broken.field("Retry-After") != nil)
        #expect(!broken.text.contains("disk"))
        #expect(try await service.send(.head, path).response.omitsContent)
    }

    @Test func aFaultThatARequestHasMetCountsAtOnce() async throws {
        let store = BrokenStore()
        let service = try await TestService(store: store) { $0.uptime = { Instant(nanoseconds: 0) } }
        #expect(try await service.get("/readyz").status == 200)
        store.breakDown(with: StoreError.unavailable(reason: "disk I/O error"))
        #expect(try await service.get("/readyz").status == 200, "nobody knows yet, and time stands still")
        #expect(try await service.layout().status == 503)
        #expect(try await service.get("/readyz").status == 503)
        // Nor is a fault kept: who asks again finds the storage well again.
        store.mend()
        #expect(try await service.get("/readyz").status == 200)
    }

    @Test(arguments: ["/readyz", "/healthz"])
    func aServerThatDrainsIsNotReadyButAlive(path: String) async throws {
        let service = try await TestService()
        service.health.beginDraining()
        let reply = try await service.get(path)
        #expect(reply.status == 503)
        #expect(reply.text == "[-]draining shutting down\n")
        // What was not looked at is not called well.
        #expect(try await service.get("\(path)?verbose").text == "[-]draining shutting down\nfailed\n")
        #expect(try await service.get("/livez").status == 200)
        #expect(try await service.layout().status == 200)
    }
}
