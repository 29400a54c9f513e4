extension Command {
    static let version = Command(name: "version", summary: "Print the version") { _ in
        Machine.print("pegboard \(Version.text)\n")
    }
}

/// Semantic versioning, of the HTTP API and of the command line.
enum Version {
    static let text = "0.1.0"
}
