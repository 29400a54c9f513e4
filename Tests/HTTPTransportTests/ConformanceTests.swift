import Foundation
import HTTPTransport
import Testing

/// The whole corpus against the stand-in: framing is real, the application is not.
struct ConformanceTests {
    @Test func theCorpusPasses() async throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folder = tests.appendingPathComponent("conformance")
        try await withServer(StandInHandler(), configured { $0.eventLoops = 2 }) { _, address in
            let runner = Process()
            runner.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            runner.arguments = [
                "python3", folder.appendingPathComponent("http1_corpus_runner.py").path,
                folder.appendingPathComponent("http1-corpus.jsonl").path, "--port", "\(address.port ?? 0)",
            ]
            let output = Pipe()
            runner.standardOutput = output
            runner.standardError = output
            try runner.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            runner.waitUntilExit()
            #expect(text.hasSuffix("452 passed, 0 failed\n"), "\(text.suffix(4000))")
        }
    }
}
