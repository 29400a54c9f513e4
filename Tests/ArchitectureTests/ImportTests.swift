import Foundation
import Testing

/// What each target may import. SwiftPM lets a target see whatever its dependencies see; this list does not.
private let arrows: [String: Set<String>] = [
    "LayoutModel": [],
    "LayoutApplication": ["LayoutModel", "Locking"],
    "HTTP1": [],
    "HTTPTransport": ["HTTP1", "Locking", "CSystem", "COpenSSL", "Dispatch", "Glibc", "Synchronization"],
    "LayoutAPI": [
        "LayoutApplication", "LayoutModel", "HTTP1", "Metrics", "Locking", "APIDocument", "ConsoleFiles", "CZlib",
        "COpenSSL",
    ],
    "LayoutSQLite": [
        "LayoutApplication", "LayoutModel", "LayoutRecords", "LayoutMigrations", "Locking", "CSQLite", "CSystem",
        "Dispatch", "Glibc", "Synchronization",
    ],
    "LayoutPostgres": [
        "LayoutApplication", "LayoutModel", "LayoutRecords", "LayoutMigrations", "Locking", "CPostgreSQL", "Dispatch",
        "Glibc",
    ],
    "LayoutRecords": ["LayoutApplication", "LayoutModel", "CZlib"],
    "LayoutMigrations": ["CZlib"],
    "PegboardClient": ["LayoutModel", "Locking", "Foundation", "FoundationNetworking", "Observation"],
    "Locking": ["Glibc", "Synchronization"],
    "Metrics": ["Locking", "CSystem", "Synchronization"],
    "pegboard": [
        "LayoutAPI", "LayoutApplication", "LayoutModel", "LayoutRecords", "LayoutMigrations", "LayoutSQLite",
        "LayoutPostgres", "HTTPTransport", "HTTP1", "Metrics", "Locking", "CSystem", "Dispatch", "Glibc",
        "Synchronization",
    ],
]

private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

private func folder(of target: String) -> URL {
    root.appending(path: target == "LayoutMigrations" ? "Migrations" : "Sources/\(target)")
}

private func swiftFiles(in folder: URL) throws -> [URL] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
}

/// The modules that a file imports: the last word of each `import` line but its parts.
private func imports(of file: URL) throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
        let kinds = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
        let words = line.split(separator: " ").filter { !$0.hasPrefix("@") && !kinds.contains(String($0)) }
        guard let place = words.firstIndex(of: "import"), words.count > place + 1,
            words[..<place].allSatisfy({ ["package", "public", "internal", "private", "fileprivate"].contains($0) })
        else { return nil }
        return words[place + 1].split(separator: ".").first.map(String.init)
    }
}

@Suite struct ImportTests {
    @Test(arguments: arrows.keys.sorted())
    func targetImportsOnlyWhatItsArrowsAllow(target: String) throws {
        let files = try swiftFiles(in: folder(of: target))
        #expect(!files.isEmpty, "\(target) has no sources: is it spelt right?")
        for file in files {
            for module in try imports(of: file) {
                #expect(
                    arrows[target]?.contains(module) == true,
                    "\(target)/\(file.lastPathComponent) imports \(module); its arrows allow \(arrows[target] ?? [])")
            }
        }
    }

    @Test func everyTargetOfTheTreeHasItsArrows() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Sources").path)
        let swift = try folders.filter { try !swiftFiles(in: root.appending(path: "Sources/\($0)")).isEmpty }
        #expect(Set(swift + ["LayoutMigrations"]) == Set(arrows.keys))
    }

    @Test func theTestSeesAnImportWhateverItsAccessLevel() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "imports-\(UUID()).swift")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = """
            import Alpha
            package import Beta
            @preconcurrency internal import Gamma.Part
            import struct Delta.Part
            // import Epsilon
            let important = 1
            """
        try text.write(to: file, atomically: true, encoding: .utf8)
        #expect(try imports(of: file) == ["Alpha", "Beta", "Gamma", "Delta"])
    }
}
