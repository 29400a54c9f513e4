// What is printed from the tables of commands and settings, for shells and for people.

extension Command {
    static let man = Command(
        name: "man", summary: "Print the manual page, for man(1)",
        options: [.init(name: "configuration", help: "Print the page of the settings instead, as Markdown")]
    ) { invocation in
        let printsSettings = invocation.options["configuration"] != nil
        Machine.print(
            printsSettings
                ? ConfigurationPage(settings: Setting.server).text
                : ManualPage(commands: Command.all, settings: Setting.server).text)
    }

    static let completions = Command(
        name: "completions", summary: "Print what a shell needs to complete the command line",
        operands: [.init(name: "bash|zsh|fish")]
    ) { invocation in
        switch invocation.operands[0] {
        case "bash": Machine.print(BashCompletions(commands: Command.all).text)
        case "zsh": Machine.print(ZshCompletions(commands: Command.all).text)
        case "fish": Machine.print(FishCompletions(commands: Command.all).text)
        case let other: throw CommandFailure(.usage, "'\(other)' is no shell that is known: bash, zsh or fish.")
        }
    }
}
