/// `Documentation/configuration.md`, from the table of settings.
struct ConfigurationPage {
    let settings: [Setting]

    var text: String {
        """
        # Configuration

        <!-- Printed by `pegboard man --configuration`; `make reference` writes it anew. -->

        Every setting is a flag of `pegboard serve` and a variable of its environment: flag over environment over default.
        `pegboard serve --print-config` shows what is in force and where each value came from. A value that is not allowed, or
        a variable that begins with `PEGBOARD_` and is none of these, ends the program with exit code 78 and a message.

        | flag | variable | default | what it does | allowed |
        | --- | --- | --- | --- | --- |
        \(settings.map(row).joined(separator: "\n"))

        Sizes are bytes, or have `KiB`, `MiB` or `GiB` behind them; times have `ms`, `s`, `m`, `h` or `d`. Which settings another
        command takes, its `--help` says.

        """
    }

    private func row(_ setting: Setting) -> String {
        let flag = setting.placeholder.map { "\(setting.flag) \($0)" } ?? setting.flag
        let standard = setting.defaultText.isEmpty ? "–" : "`\(setting.defaultText)`"
        let cells = ["`\(flag)`", "`\(setting.variable)`", standard, setting.help, setting.allowed]
        return "| \(cells.map(escaped).joined(separator: " | ")) |"
    }

    private func escaped(_ cell: String) -> String {
        cell.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
