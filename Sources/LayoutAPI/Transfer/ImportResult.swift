import LayoutApplication
import LayoutModel

/// What became of one line of an import.
package struct ImportResult: Sendable {
    /// The line's number, from 1.
    let number: Int
    let user: UserID?
    let outcome: Outcome

    enum Outcome: Sendable {
        case taken(ChangeResult)
        case refused(Problem)
        /// It was an export's last line, which says nothing of any user.
        case ended
    }

    init(_ number: Int, _ user: UserID?, _ outcome: Outcome) {
        self.number = number
        self.user = user
        self.outcome = outcome
    }

    /// As a line of JSON; empty where there is nothing to say.
    package var line: [UInt8] {
        if case .ended = outcome { return [] }
        var json = JSONWriter()
        json.object { json in
            if let user { json.member("userId", user.text) }
            switch outcome {
            case .taken(let change): json.taken(change)
            case .refused(let problem):
                json.member("line", number)
                json.member("result", "refused")
                json.reason(problem)
            case .ended: break
            }
        }
        return json.line
    }

    /// What a person at a terminal is told of a line that was refused; nil for any other.
    package var complaint: String? {
        guard case .refused(let problem) = outcome else { return nil }
        let place = problem.pointer.map { $0.isEmpty ? "" : "\($0): " } ?? ""
        return "line \(number): \(place)\(problem.detail) [\(problem.code)]"
    }
}

extension LayoutImport.Tally {
    /// What the results end with: where it is missing, the import was cut.
    var line: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("imported", imported)
            json.member("unchanged", unchanged)
            json.member("refused", refused)
        }
        return json.line
    }
}

extension LayoutImport.Stopped {
    /// What the results end with instead: to be sent again from this line on.
    var octets: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("line", line)
            json.member("result", "stopped")
            json.reason(Problem(cause))
        }
        return json.line
    }
}

extension JSONWriter {
    fileprivate mutating func taken(_ change: ChangeResult) {
        member("result", change.changed ? "imported" : "unchanged")
        member("version", change.view.stored.version)
        guard !change.missing.isEmpty else { return }
        name("unknown")
        ids(change.missing.map(\.id))
    }

    fileprivate mutating func reason(_ problem: Problem) {
        member("code", problem.code.rawValue)
        member("detail", problem.detail)
        if let pointer = problem.pointer, !pointer.isEmpty { member("pointer", pointer) }
    }
}
