import CSystem

extension Command {
    static let version = Command(
        name: "version", summary: "Print the version",
        options: [.init(name: "json", help: "Print one JSON object, with the commit that it was built from")]
    ) { invocation in
        guard invocation.options["json"] != nil else { return Machine.print("pegboard \(Version.text)\n") }
        let commit = Version.commit.map { "\"\($0)\"" } ?? "null"
        Machine.print("{\"name\":\"pegboard\",\"version\":\"\(Version.text)\",\"commit\":\(commit)}\n")
    }
}

/// Semantic versioning, of the HTTP API and of the command line.
enum Version {
    static let text = "0.1.0"
    /// Of this version, as mdoc(7) writes dates.
    static let date = "November 30, 2026"
    /// What it was built from, where the build was told: `BUILD_COMMIT` in the environment of `swift build`.
    static let commit: String? = {
        let commit = String(cString: system_build_commit())
        return commit.isEmpty ? nil : commit
    }()
}
