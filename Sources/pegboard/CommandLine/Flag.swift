/// One flag of a command, wherever it comes from: what help, manual page and completions say of it.
struct Flag {
    let name: String
    /// nil for a switch.
    var placeholder: String?
    var defaultText = ""
    let help: String

    static let help = Flag(name: "help", help: "List the options")
    fileprivate static let printConfig = Flag(
        name: "print-config", help: "Print every value and where it came from, and end")
}

extension Command {
    /// All that may stand behind its name, but for `--help`.
    var flags: [Flag] {
        options.map { Flag(name: $0.name, placeholder: $0.placeholder, help: $0.help) }
            + settings.map {
                Flag(
                    name: $0.name, placeholder: $0.placeholder,
                    defaultText: $0.placeholder == nil ? "" : $0.defaultText, help: $0.help)
            }
            + (settings.isEmpty ? [] : [.printConfig])
    }

    /// The words of its name: one, or two.
    var words: [String] { name.split(separator: " ").map(String.init) }
}

extension [Command] {
    /// First words with the commands that they begin, in the order of the table.
    var groups: [(word: String, members: [Command])] {
        var groups: [(word: String, members: [Command])] = []
        for command in self {
            let word = command.words[0]
            if let index = groups.firstIndex(where: { $0.word == word }) {
                groups[index].members.append(command)
            } else {
                groups.append((word, [command]))
            }
        }
        return groups
    }

    /// The groups whose names go on.
    var families: [(word: String, members: [Command])] { groups.filter { $0.members[0].words.count > 1 } }
}
