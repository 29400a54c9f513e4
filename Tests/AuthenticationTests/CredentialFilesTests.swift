import Locking
import Testing

@testable import LayoutAPI

/// Files in memory, and what was reported of them.
private final class Files: Sendable {
    private let state = Mutex(State())

    private struct State {
        var contents: [String: String] = [:]
        var writes: UInt64 = 0
        var stamps: [String: FileStamp] = [:]
        var reads = 0
        var reports: [CredentialReport] = []
    }

    func write(_ text: String?, to path: String) {
        state.withLock { state in
            state.writes += 1
            state.contents[path] = text
            state.stamps[path] = text.map {
                FileStamp(device: 1, inode: state.writes, size: Int64($0.utf8.count), modified: 0)
            }
        }
    }

    var reads: Int { state.withLock { $0.reads } }
    var access: FileAccess {
        FileAccess(read: { try self.read($0) }, stamp: { path in self.state.withLock { $0.stamps[path] } })
    }
    func note(_ report: CredentialReport) { state.withLock { $0.reports.append(report) } }

    func takeReports() -> [CredentialReport] {
        state.withLock { state in
            defer { state.reports = [] }
            return state.reports
        }
    }

    private func read(_ path: String) throws(CredentialFault) -> [UInt8] {
        try state.withLock { state throws(CredentialFault) in
            state.reads += 1
            guard let text = state.contents[path] else {
                throw CredentialFault("\(path) cannot be read: there is no such file")
            }
            return Array(text.utf8)
        }
    }
}

@Suite struct CredentialFilesTests {
    private let issuer = Issuer.shared
    private let files = Files()
    private let credentials: CredentialFiles
    private let authenticator: Authenticator

    init() throws {
        let files = files
        files.write(issuer.jwks, to: "jwks.json")
        files.write(String(decoding: issuer.secret, as: UTF8.self) + "\n", to: "secret")
        files.write(issuer.adminFile, to: "admins")
        credentials = CredentialFiles(
            .init(issuerKeys: "jwks.json", secret: "secret", adminTokens: "admins"), access: files.access,
            report: { files.note($0) })
        authenticator = Authenticator(
            try credentials.load(), issuer: Issuer.name, audience: Issuer.audience, clock: { Int64(Issuer.now) * 1_000 }
        )
    }

    private func isTaken(_ token: String) -> Bool {
        (try? authenticator.principal(bearing: Array(token.utf8)[...])) != nil
    }

    private var hs256: String {
        issuer.token(header: #"{"alg":"HS256"}"#) { Code.hs256($0, key: issuer.secret) }
    }

    @Test func allThreeFilesCount() {
        #expect(
            files.takeReports() == [
                .loaded(path: "jwks.json", summary: "keys: 3", ignored: []),
                .loaded(path: "secret", summary: "secrets: 1", ignored: []),
                .loaded(path: "admins", summary: "admin tokens: 1", ignored: []),
            ])
        #expect(isTaken(issuer.token()))
        #expect(isTaken(hs256))
        #expect(isTaken(issuer.adminToken))
    }

    @Test func filesThatStayTheSameAreNotRead() {
        credentials.reload(into: authenticator, onlyChanged: true)
        #expect(files.reads == 3)
        credentials.reload(into: authenticator, onlyChanged: false)
        #expect(files.reads == 6)
    }

    @Test func aNewFileCountsAtOnceAndAlone() {
        #expect(isTaken(issuer.token()))
        _ = files.takeReports()
        files.write("{\"keys\":[\(issuer.rsa.jwk(kid: "r1"))]}", to: "jwks.json")
        credentials.reload(into: authenticator, onlyChanged: true)
        #expect(files.takeReports() == [.loaded(path: "jwks.json", summary: "keys: 1", ignored: [])])
        #expect(!isTaken(issuer.token()))
        #expect(isTaken(issuer.token(header: #"{"alg":"RS256","kid":"r1"}"#, key: issuer.rsa)))
        #expect(isTaken(hs256))
    }

    @Test(arguments: ["", "{\"keys\":[]}", "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}", nil])
    func aBrokenFileKeepsTheKeysAndSaysWhyOnce(text: String?) {
        #expect(isTaken(issuer.token()))
        _ = files.takeReports()
        files.write(text, to: "jwks.json")
        credentials.reload(into: authenticator, onlyChanged: true)
        credentials.reload(into: authenticator, onlyChanged: true)
        let reports = files.takeReports()
        #expect(reports.count == 1)
        if case .kept(let path, let reason)? = reports.first {
            #expect(path == "jwks.json")
            #expect(reason.hasPrefix("jwks.json"))
        } else {
            Issue.record("no word of the broken file")
        }
        #expect(isTaken(issuer.token()))
    }

    @Test func aBrokenFileDoesNotHoldUpAnother() {
        files.write("broken", to: "jwks.json")
        files.write("# nobody\n", to: "admins")
        credentials.reload(into: authenticator, onlyChanged: true)
        #expect(!isTaken(issuer.adminToken))
        #expect(isTaken(issuer.token()))
    }

    @Test func anOldFileCountsAgainWhenItIsBack() {
        files.write("broken", to: "jwks.json")
        credentials.reload(into: authenticator, onlyChanged: true)
        files.write(issuer.jwks, to: "jwks.json")
        credentials.reload(into: authenticator, onlyChanged: true)
        #expect(isTaken(issuer.token()))
    }

    @Test func noReportHoldsASecret() {
        files.write("short", to: "secret")
        files.write("ops \(issuer.adminToken)", to: "admins")
        credentials.reload(into: authenticator, onlyChanged: true)
        for report in files.takeReports() {
            let text = "\(report)"
            #expect(!text.contains("short") || text.contains("shorter"))
            #expect(!text.contains(issuer.adminToken))
        }
    }

    @Test func aFileThatCannotBeUsedIsRefusedAtTheStart() {
        files.write("too short\n", to: "secret")
        #expect(throws: CredentialFault("secret: a secret for HS256 has at least 32 bytes, and this one has 9")) {
            try credentials.load()
        }
        files.write(nil, to: "secret")
        #expect(throws: CredentialFault("secret cannot be read: there is no such file")) { try credentials.load() }
    }
}
