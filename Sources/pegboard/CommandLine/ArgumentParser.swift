/// Command line → `Invocation`. `--flag value` and `--flag=value` mean the same; `--` ends the flags.
struct ArgumentParser {
    private let commands: [Command]
    private let environment: [String: String]

    init(_ commands: [Command], environment: [String: String]) {
        self.commands = commands
        self.environment = environment
    }

    enum Result {
        case run(Invocation)
        /// Text for standard output.
        case print(String)
    }

    /// - Throws: `CommandFailure` 64 for wrong usage, 78 for a wrong value.
    func parse(_ arguments: [String]) throws -> Result {
        guard let first = arguments.first else { throw usage("A command is missing.\n\n\(Help.overview(commands))") }
        if first == "help", arguments.count > 1 { return try parse(Array(arguments.dropFirst()) + ["--help"]) }
        if first == "--help" || first == "-h" || first == "help" { return .print(Help.overview(commands)) }
        if first == "--version" { return try parse(["version"]) }
        guard let (command, words) = command(for: arguments) else { throw unknown(arguments) }
        let rest = arguments.dropFirst(words)
        if rest.contains("--help") || rest.contains("-h") { return .print(Help.of(command)) }
        return try parse(rest, for: command)
    }

    private func command(for arguments: [String]) -> (Command, words: Int)? {
        for words in [2, 1] where arguments.count >= words {
            let name = arguments.prefix(words).joined(separator: " ")
            if let command = commands.first(where: { $0.name == name }) { return (command, words) }
        }
        return nil
    }

    private func parse(_ arguments: ArraySlice<String>, for command: Command) throws -> Result {
        var operands: [String] = []
        var flags: [String: String] = [:]
        var options: [String: String] = [:]
        var printsConfiguration = false
        var rest = arguments
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--"), argument != "--" else {
                operands += argument == "--" ? Array(rest) : [argument]
                if argument == "--" { break }
                continue
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, given) = (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
            if name == "print-config", given == nil, !command.settings.isEmpty {
                printsConfiguration = true
            } else if let setting = command.settings.first(where: { $0.name == name }) {
                flags[name] = try value(given, takesValue: setting.placeholder != nil, of: name, &rest) ?? "true"
            } else if let option = command.options.first(where: { $0.name == name }) {
                options[name] = try value(given, takesValue: option.placeholder != nil, of: name, &rest) ?? ""
            } else {
                throw unknown(flag: name, of: command)
            }
        }
        let needed = command.operands.count { !$0.isOptional }
        guard (needed...command.operands.count).contains(operands.count) else {
            let fault =
                operands.count < needed
                ? "\(command.operands[operands.count].name) is missing"
                : "'\(operands[command.operands.count])' is one word too many"
            throw usage("\(fault). \(Help.synopsis(command))\n`pegboard \(command.name) --help` says more.")
        }
        let settings = try Settings(command.settings, flags: flags, environment: environment)
        if printsConfiguration { return .print(settings.printed) }
        return .run(Invocation(command: command, operands: operands, options: options, settings: settings))
    }

    private func value(
        _ given: String?, takesValue: Bool, of name: String, _ rest: inout ArraySlice<String>
    ) throws -> String? {
        guard takesValue else { return given }
        guard let value = given ?? rest.popFirst() else { throw usage("--\(name) needs a value.") }
        return value
    }

    private func usage(_ message: String) -> CommandFailure { CommandFailure(.usage, message) }

    private func unknown(_ arguments: [String]) -> CommandFailure {
        let word = arguments[0]
        let group = commands.filter { $0.name.hasPrefix(word + " ") }.map { "pegboard \($0.name)" }
        if !group.isEmpty { return usage("'\(word)' goes on: \(group.joined(separator: ", ")).") }
        let guess = nearest(word, of: commands.map(\.name)).map { " Did you mean '\($0)'?" } ?? ""
        return usage("'\(word)' is no command.\(guess) `pegboard --help` lists them.")
    }

    private func unknown(flag: String, of command: Command) -> CommandFailure {
        let known = command.settings.map(\.name) + command.options.map(\.name) + ["help", "print-config"]
        let guess = nearest(flag, of: known).map { " Did you mean --\($0)?" } ?? ""
        return usage("--\(flag) is no option of `pegboard \(command.name)`.\(guess) --help lists them.")
    }

    /// The name that at most two slips of the finger turn into `word`.
    private func nearest(_ word: String, of names: [String]) -> String? {
        names.map { ($0, distance(word, $0)) }.filter { $0.1 <= 2 }.min { $0.1 < $1.1 }?.0
    }

    /// Levenshtein's, row by row.
    private func distance(_ a: String, _ b: String) -> Int {
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let substituted = diagonal + (left == right ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, diagonal + 1, row[j] + 1)
            }
        }
        return row[b.count]
    }
}
