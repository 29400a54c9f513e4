import Locking

/// The files that credentials come from, read again when they change. A file that cannot be used changes nothing: what
/// it held before stays in force, file by file.
package final class CredentialFiles: Sendable {
    private let issuerKeys: CredentialFile<JSONWebKeySet>?
    private let secret: CredentialFile<VerificationKey>?
    private let adminTokens: CredentialFile<AdminTokens>?
    private let report: @Sendable (CredentialReport) -> Void
    /// Held while files are read: two readers at a time could bring an older state back.
    private let reading = Mutex(())

    package struct Paths: Sendable {
        package var issuerKeys: String?
        package var secret: String?
        package var adminTokens: String?

        package init(issuerKeys: String? = nil, secret: String? = nil, adminTokens: String? = nil) {
            self.issuerKeys = issuerKeys
            self.secret = secret
            self.adminTokens = adminTokens
        }
    }

    /// - Parameters:
    ///   - algorithms: keys for any other are left out.
    ///   - report: told of every file that was read, or could not be, for the log.
    package init(
        _ paths: Paths, algorithms: Set<SigningAlgorithm> = Set(SigningAlgorithm.allCases), access: FileAccess,
        report: @escaping @Sendable (CredentialReport) -> Void
    ) {
        self.report = report
        issuerKeys = paths.issuerKeys.map { path in
            CredentialFile(path, access) { octets throws(CredentialFault) in
                let set = try JSONWebKeySet(octets, algorithms: algorithms)
                return (set, "keys: \(set.keys.count)", set.ignored)
            }
        }
        secret = paths.secret.map { path in
            CredentialFile(path, access) { octets throws(CredentialFault) in
                guard algorithms.contains(.hs256) else {
                    throw CredentialFault("a secret is for HS256, which is not allowed")
                }
                return (try .secret(SecretFile.octets(octets)), "secrets: 1", [])
            }
        }
        adminTokens = paths.adminTokens.map { path in
            CredentialFile(path, access) { octets throws(CredentialFault) in
                let tokens = try AdminTokens(octets)
                return (tokens, "admin tokens: \(tokens.count)", [])
            }
        }
    }

    /// Reads all of them for the first time.
    ///
    /// - Throws: `CredentialFault`, with the path in front, for the first that cannot be used.
    package func load() throws(CredentialFault) -> Credentials {
        try reading.withLock { _ throws(CredentialFault) in
            for file in files { report(try file.load()) }
            return try credentials()
        }
    }

    /// Reads what has changed, or everything, and hands the result over where anything is new.
    package func reload(into authenticator: Authenticator, onlyChanged: Bool) {
        reading.withLock { _ in
            let reports = files.compactMap { $0.reload(onlyChanged: onlyChanged) }
            for each in reports { report(each) }
            guard reports.contains(where: \.isLoaded) else { return }
            do throws(CredentialFault) {
                authenticator.replace(try credentials())
            } catch {
                report(.kept(path: issuerKeys?.path ?? "", reason: error.description))
            }
        }
    }

    private var files: [any ReloadableFile] {
        let all: [(any ReloadableFile)?] = [issuerKeys, secret, adminTokens]
        return all.compactMap(\.self)
    }

    private func credentials() throws(CredentialFault) -> Credentials {
        let keys = (issuerKeys?.value?.keys ?? []) + [secret?.value].compactMap(\.self)
        return Credentials(keys: try KeySet(keys), adminTokens: adminTokens?.value ?? .none)
    }
}

/// What became of reading one file.
package enum CredentialReport: Equatable, Sendable {
    /// - Parameter ignored: what of it is not used, and why.
    case loaded(path: String, summary: String, ignored: [String])
    /// It could not be used; what it held before stays in force.
    case kept(path: String, reason: String)

    var isLoaded: Bool { if case .loaded = self { true } else { false } }
}

private protocol ReloadableFile: Sendable {
    func load() throws(CredentialFault) -> CredentialReport
    func reload(onlyChanged: Bool) -> CredentialReport?
}

/// One file, and the last of its states that could be used.
private final class CredentialFile<Value: Sendable>: ReloadableFile {
    let path: String
    private let access: FileAccess
    private let parse: Parse
    private let state = Mutex<State>(State())

    typealias Parse = @Sendable ([UInt8]) throws(CredentialFault) -> (Value, summary: String, ignored: [String])

    private struct State {
        var stamp: FileStamp?
        var value: Value?
    }

    init(_ path: String, _ access: FileAccess, parse: @escaping Parse) {
        self.path = path
        self.access = access
        self.parse = parse
    }

    var value: Value? { state.withLock { $0.value } }

    func load() throws(CredentialFault) -> CredentialReport {
        // Taken before the content: a change in between shows as a change next time.
        let stamp = access.stamp(path)
        state.withLock { $0.stamp = stamp }
        let octets: [UInt8]
        do { octets = try access.read(path) } catch { throw CredentialFault("\(error)") }
        do throws(CredentialFault) {
            let (value, summary, ignored) = try parse(octets)
            state.withLock { $0.value = value }
            return .loaded(path: path, summary: summary, ignored: ignored)
        } catch {
            throw CredentialFault("\(path): \(error)")
        }
    }

    func reload(onlyChanged: Bool) -> CredentialReport? {
        if onlyChanged, access.stamp(path) == state.withLock({ $0.stamp }) { return nil }
        do throws(CredentialFault) { return try load() } catch { return .kept(path: path, reason: error.description) }
    }
}
