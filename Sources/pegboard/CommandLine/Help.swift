/// What `--help` prints, from the tables.
enum Help {
    static func overview(_ commands: [Command]) -> String {
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map { "  \($0.name.padding(to: width))  \($0.summary)\n" }.joined()
        return """
            Pegboard keeps the home-screen layouts of a super-app's users.

            Usage: pegboard COMMAND [OPTION …]

            \(lines)
            `pegboard COMMAND --help` lists a command's options. Flag over environment over default.

            """
    }

    static func synopsis(_ command: Command) -> String {
        let operands = command.operands.map { $0.isOptional ? " [\($0.name)]" : " \($0.name)" }.joined()
        let hasOptions = !command.settings.isEmpty || !command.options.isEmpty
        return "Usage: pegboard \(command.name)\(operands)\(hasOptions ? " [OPTION …]" : "")"
    }

    static func of(_ command: Command) -> String {
        let rows = command.flags.map { flag in
            let value = flag.placeholder.map { " \($0)" } ?? ""
            let standard = flag.defaultText.isEmpty ? "" : " [\(flag.defaultText)]"
            return (left: "--\(flag.name)\(value)", right: "\(flag.help)\(standard)")
        }
        let width = rows.map(\.left.count).max() ?? 0
        let lines = rows.map { "  \($0.left.padding(to: width))  \($0.right)\n" }.joined()
        let environment =
            command.settings.isEmpty
            ? "" : "\nEach of these settings can come from the environment too: --listen from PEGBOARD_LISTEN.\n"
        return "\(command.summary).\n\n\(synopsis(command))\n" + (lines.isEmpty ? "" : "\n\(lines)") + environment
    }
}
