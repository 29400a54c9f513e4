import LayoutAPI
import LayoutApplication
import LayoutModel

extension Command {
    static let layoutsExport = Command(
        name: "layouts export", summary: "Print layouts as JSON lines, from a database that no server uses",
        settings: [.database], options: [.init(name: "user", placeholder: "U", help: "This user's alone")]
    ) { invocation in
        try await withStore(of: invocation) { store in
            if let name = invocation.options["user"] {
                let user = try user(named: name)
                print(LayoutRecord(user: user, layout: try await store.layout(of: user).layout))
                return
            }
            var last: UserID?
            while true {
                let page = try await store.layouts(after: last, limit: 1_000)
                for (user, layout) in page { print(LayoutRecord(user: user, layout: layout)) }
                guard let end = page.last?.user else { return }
                last = end
            }
        }
    }

    static let layoutsImport = Command(
        name: "layouts import",
        summary: "Take in JSON lines of an export (- for standard input); one result line a user, repeating is a no-op",
        operands: [.init(name: "FILE")], settings: [.database]
    ) { invocation in
        let lines = try LineReader(invocation.operands[0])
        let failures = try await withStore(of: invocation) { store in
            let catalogs = try await CatalogService(store: store, coding: .json, clock: Machine.now)
            let layouts = LayoutService(store: store, catalogs: catalogs, clock: Machine.now)
            return try await takeIn(lines, into: layouts)
        }
        if failures > 0 { throw CommandFailure(.badInput, "\(failures) lines could not be taken in.") }
    }

    /// As many lines at a time as share a commit well.
    private static let width = 64

    /// - Returns: how many lines were refused; each was named on standard error.
    private static func takeIn(_ lines: consuming LineReader, into layouts: LayoutService) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            var failures = 0
            var started = 0
            while let (number, text) = try lines.next() {
                started += 1
                if started > width, try await group.next() == false { failures += 1 }
                group.addTask { try await takeIn(text, number: number, into: layouts) }
            }
            for try await isTaken in group where !isTaken { failures += 1 }
            return failures
        }
    }

    private static func takeIn(_ line: [UInt8], number: Int, into layouts: LayoutService) async throws -> Bool {
        do {
            let (user, command) = try LayoutRecord.command(line)
            var change = ChangeRequest(client: Client(user: user), command: command)
            change.actor = "pegboard layouts import"
            guard case .decided(let result) = try await layouts.apply(change) else { return true }
            var json = JSONWriter()
            json.imported(user, result)
            Machine.print(String(decoding: json.octets, as: UTF8.self) + "\n")
            return true
        } catch let error as StoreError {
            throw error
        } catch {
            Machine.print("line \(number): \(error)\n", to: 2)
            return false
        }
    }

    private static func print(_ record: LayoutRecord) {
        Machine.print(String(decoding: record.line, as: UTF8.self))
    }

    private static func user(named name: String) throws -> UserID {
        guard let user = UserID(name) else {
            throw CommandFailure(.usage, "A user id is 1 to 128 bytes of UTF-8 without control characters.")
        }
        return user
    }

    private static func withStore<Result>(
        of invocation: Invocation, _ body: (any LayoutStore) async throws -> Result
    ) async throws -> Result {
        let store = try await Storage.open(invocation.configuration)
        do {
            let result = try await body(store)
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }
}
