import Foundation

/// The messages of `Tests/conformance/http1-corpus.jsonl`.
enum Corpus {
    struct Message: Sendable {
        var id: String
        var octets: [UInt8]
    }

    /// Those that are not made to be huge.
    static let messages: [Message] = all.filter { !$0.octets.isEmpty && $0.octets.count <= 8192 }
    static let hugeMessages: [Message] = all.filter { $0.octets.count > 8192 }

    private struct Line: Decodable {
        var id: String
        var segments: [Data]
        var `repeat`: [Int]?
    }

    private static let all: [Message] = {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appendingPathComponent("conformance/http1-corpus.jsonl")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { fatalError("no corpus at \(file.path)") }
        return text.split(separator: "\n").map { line in
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)) else {
                fatalError("the corpus holds a line that is no case: \(line.prefix(80))")
            }
            var octets: [UInt8] = []
            for (index, segment) in line.segments.enumerated() {
                // Nothing behind the first 512 KiB of a message can change how it is taken.
                let times = min(line.repeat?[index] ?? 1, 512 * 1024 / max(segment.count, 1) + 1)
                for _ in 0..<times { octets.append(contentsOf: segment) }
            }
            return Message(id: line.id, octets: octets)
        }
    }()
}
