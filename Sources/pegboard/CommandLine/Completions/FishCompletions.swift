/// What fish sources to complete `pegboard`.
struct FishCompletions {
    let commands: [Command]

    var text: String {
        """
        # fish completion for pegboard, as `pegboard completions fish` prints it.
        function __pegboard_is --description 'Whether the command line begins with these words'
            set -l words (commandline -opc)
            set -l last (math 1 + (count $argv))
            test (count $words) -ge $last; and test "$words[2..$last]" = "$argv"
        end
        function __pegboard_goes_on --description 'Whether these words are all there is so far'
            test (count (commandline -opc)) -eq (math 1 + (count $argv)); and __pegboard_is $argv
        end
        complete -c pegboard -f
        \((first + second + flags).joined(separator: "\n"))

        """
    }

    private var first: [String] {
        commands.groups.map { word, members in
            let summary = members[0].name == word ? members[0].summary : members.map(\.name).joined(separator: ", ")
            return "complete -c pegboard -n 'test (count (commandline -opc)) -eq 1' -a \(word) -d \(quoted(summary))"
        }
    }

    private var second: [String] {
        commands.filter { $0.words.count > 1 }.map { command in
            "complete -c pegboard -n '__pegboard_goes_on \(command.words[0])' -a \(command.words[1]) "
                + "-d \(quoted(command.summary))"
        }
    }

    private var flags: [String] {
        commands.flatMap { command in
            let condition = "complete -c pegboard -n '__pegboard_is \(command.name)'"
            let flags = (command.flags + [.help]).map { flag in
                let value = flag.placeholder.map { " \(Self.value(ValueKind($0)))" } ?? ""
                return "\(condition) -l \(flag.name)\(value) -d \(quoted(flag.help))"
            }
            return flags
                + command.operands.compactMap { operand in Self.operand(ValueKind(operand.name)) }
                .map { "\(condition) \($0)" }
        }
    }

    /// `-r` takes a value, `-F` offers files for it, `-x` none.
    private static func value(_ kind: ValueKind) -> String {
        switch kind {
        case .file: "-r -F"
        case .folder: "-x -a '(__fish_complete_directories)'"
        case .words(let words): "-x -a '\(words.joined(separator: " "))'"
        case .free: "-x"
        }
    }

    private static func operand(_ kind: ValueKind) -> String? {
        switch kind {
        case .file: "-F"
        case .folder: "-a '(__fish_complete_directories)'"
        case .words(let words): "-a '\(words.joined(separator: " "))'"
        case .free: nil
        }
    }

    private func quoted(_ text: String) -> String {
        "'\(text.map { "\\'".contains($0) ? "\\\($0)" : "\($0)" }.joined())'"
    }
}
