package import LayoutApplication
import LayoutModel

/// Takes in the lines of an export, a few hundred at a time, so that they share commits. Repeating one changes nothing.
package struct LayoutImport: Sendable {
    private let layouts: LayoutService
    private let actor: String
    private let origin: String

    /// Longer than any layout: each of its ids, hidden ones too, stood in the catalog that it was stored under, with a title.
    package static let longestLine = CatalogCoding.longestDocument
    /// Lines whose changes wait for one commit.
    private static let width = 256

    /// - Parameters:
    ///   - actor: who it is, for the history.
    ///   - origin: the client as it names itself.
    package init(into layouts: LayoutService, by actor: String, origin: String = "") {
        self.layouts = layouts
        self.actor = actor
        self.origin = origin
    }

    /// How many lines had which result.
    package struct Tally: Sendable, Equatable {
        package internal(set) var imported = 0
        package internal(set) var unchanged = 0
        package internal(set) var refused = 0

        mutating func count(_ result: ImportResult) {
            switch result.outcome {
            case .taken(let change): if change.changed { imported += 1 } else { unchanged += 1 }
            case .refused: refused += 1
            case .ended: break
            }
        }
    }

    /// It could not go on: lines up to `line` may have been taken in, and all before it were reported.
    package struct Stopped: Error {
        /// The first line that was not reported.
        package let line: Int
        package let cause: any Error
    }

    /// - Parameters:
    ///   - read: gives the next octets; nil behind the last.
    ///   - report: gets the results in the order of their lines.
    /// - Throws: `Stopped`, where the lines do not go on or the store refuses all of them; what `report` throws.
    package func run(
        reading read: () async throws -> [UInt8]?, _ report: ([ImportResult]) async throws -> Void
    ) async throws -> Tally {
        var splitter = LineSplitter(limit: Self.longestLine)
        var tally = Tally()
        var next = 1
        while true {
            let piece: [UInt8]?
            do { piece = try await read() } catch { throw Stopped(line: next, cause: error) }
            let lines = piece.map { splitter.lines(in: $0) } ?? splitter.last().map { [$0] } ?? []
            for batch in Self.batches(of: lines) {
                let (results, failure) = await carryOut(batch)
                for result in results { tally.count(result) }
                try await report(results)
                next = (results.last?.number ?? next - 1) + 1
                if let failure { throw failure }
            }
            if piece == nil { return tally }
        }
    }

    /// A user comes once in each: what several lines say of one happens in their order.
    private static func batches(of lines: [(number: Int, line: LineSplitter.Line)]) -> [[NumberedLine]] {
        var batches: [[NumberedLine]] = []
        var users: Set<UserID> = []
        for line in lines.lazy.map({ NumberedLine($0.number, $0.line) }) {
            let isNew = line.user.map { users.insert($0).inserted } ?? true
            if batches.isEmpty || !isNew || batches[batches.count - 1].count == width {
                batches.append([])
                users = line.user.map { [$0] } ?? []
            }
            batches[batches.count - 1].append(line)
        }
        return batches
    }

    /// - Returns: the results before the first line that failed through no fault of its own.
    private func carryOut(_ batch: [NumberedLine]) async -> ([ImportResult], Stopped?) {
        let outcomes = await withTaskGroup(of: (Int, Result<ImportResult, any Error>).self) { group in
            for (index, line) in batch.enumerated() {
                group.addTask { (index, await carryOut(line)) }
            }
            return await group.reduce(into: [Result<ImportResult, any Error>?](repeating: nil, count: batch.count)) {
                $0[$1.0] = $1.1
            }
        }
        var results: [ImportResult] = []
        for (line, outcome) in zip(batch, outcomes) {
            switch outcome {
            case .success(let result): results.append(result)
            case .failure(let error): return (results, Stopped(line: line.number, cause: error))
            case nil: break
            }
        }
        return (results, nil)
    }

    private func carryOut(_ line: NumberedLine) async -> Result<ImportResult, any Error> {
        switch line.content {
        case .failure(let fault): return .success(ImportResult(line.number, nil, .refused(Problem(fault))))
        case .success(.end): return .success(ImportResult(line.number, nil, .ended))
        case .success(.layout(of: let user, let command, let provenance)):
            do {
                return .success(ImportResult(line.number, user, .taken(try await apply(command, provenance, to: user))))
            } catch {
                switch error {
                // The next lines may fare better.
                case StoreError.busy, StoreError.damaged, is ChangeRefused:
                    return .success(ImportResult(line.number, user, .refused(Problem(error))))
                default: return .failure(error)
                }
            }
        }
    }

    private func apply(
        _ command: LayoutCommand, _ provenance: Provenance?, to user: UserID
    ) async throws -> ChangeResult {
        let change = ChangeRequest(
            client: Client(user: user), command: command, origin: origin, actor: actor, provenance: provenance)
        switch try await layouts.apply(change) {
        case .decided(let result): return result
        case .replayed: preconditionFailure("no record was asked for")
        }
    }
}

/// A line that was read, or what is wrong with it.
private struct NumberedLine: Sendable {
    let number: Int
    let content: Result<LayoutLine, ContentFault>

    var user: UserID? { if case .success(.layout(of: let user, _, _)) = content { user } else { nil } }

    init(_ number: Int, _ line: LineSplitter.Line) {
        self.number = number
        content = Result { () throws(ContentFault) in
            guard case .text(let octets) = line else {
                throw ContentFault(
                    code: .lineTooLong, pointer: "",
                    detail: "A line has at most \(LayoutImport.longestLine) octets.")
            }
            return try LayoutLine(octets)
        }
    }
}
