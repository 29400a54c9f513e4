import Foundation
import HTTPTransport

/// A certificate for 127.0.0.1 that has signed itself, made anew for each run of the tests.
struct TestCertificate {
    let files: TLSFiles

    static let first = TestCertificate("first")
    static let second = TestCertificate("second")

    private static let folder: String = {
        let path = FileManager.default.temporaryDirectory.appending(path: "pegboard-tls-\(getpid())").path
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }()

    /// - Parameter subject: its common name, and that of its files.
    init(_ subject: String) {
        files = TLSFiles(
            certificate: "\(Self.folder)/\(subject).crt", key: "\(Self.folder)/\(subject).key")
        let arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=\(subject)", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", files.key, "-out", files.certificate,
        ]
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            process.waitUntilExit()
        } catch {
            fatalError("the tests need the openssl program: \(error)")
        }
        precondition(process.terminationStatus == 0, "openssl \(arguments)")
    }

    /// A copy that a test may write over.
    func copy(named name: String) throws -> TLSFiles {
        let copy = TLSFiles(certificate: "\(Self.folder)/\(name).crt", key: "\(Self.folder)/\(name).key")
        try overwrite(copy)
        return copy
    }

    func overwrite(_ other: TLSFiles) throws {
        for (from, to) in [(files.certificate, other.certificate), (files.key, other.key)] {
            try Data(contentsOf: URL(filePath: from)).write(to: URL(filePath: to))
        }
    }
}
