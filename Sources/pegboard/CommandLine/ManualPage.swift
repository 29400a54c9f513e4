/// `pegboard.1` in mdoc(7), from the tables.
struct ManualPage {
    let commands: [Command]
    let settings: [Setting]

    var text: String {
        let lines = head + commandSection + settingSection + tail
        // No line is empty: mdoc takes that for a paragraph of its own.
        return lines.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
    }

    private var head: [String] {
        [
            ".Dd \(Version.date)", ".Dt PEGBOARD 1", ".Os Pegboard \(Version.text)",
            ".Sh NAME", ".Nm pegboard", ".Nd keeps the home-screen layouts of a super-app's users",
            ".Sh SYNOPSIS", ".Nm", ".Ar command", ".Op Ar option ...",
            ".Sh DESCRIPTION", ".Nm",
            "is an HTTP server that keeps, for each user of an app, which functions stand on the home screen and in which order.",
            "An answer leaves when the change is on stable storage.",
            ".Pp", "Results go to standard output, messages for people and the log to standard error.",
            "A flag takes its value as", ".Fl \\-flag Ar value", "or", ".Fl \\-flag Ns = Ns Ar value .",
        ]
    }

    private var commandSection: [String] {
        [".Sh COMMANDS", ".Bl -tag -width Ds"] + commands.flatMap(item) + [".El"]
    }

    private func item(_ command: Command) -> [String] {
        let operands = command.operands.map { operand in
            (operand.isOptional ? "Op Ar " : "Ar ") + argument(operand.name)
        }
        let options = command.options
        var lines = [".It Cm \(([command.name] + operands).joined(separator: " "))", "\(plain(command.summary))."]
        if !command.settings.isEmpty {
            // Of the server it is all of them.
            let names =
                command.settings.count == settings.count ? [] : command.settings.map { ".Fl \\-\(plain($0.name))" }
            lines.append(names.isEmpty ? "Takes every setting below." : "Takes of the settings below:")
            lines += names.enumerated().map { $1 + ($0 == names.count - 1 ? " ." : " ,") }
        }
        guard !options.isEmpty else { return lines }
        return lines + [".Bl -tag -width Ds"]
            + options.flatMap { [".It \(flag($0.name, $0.placeholder))", "\(plain($0.help))."] } + [".El"]
    }

    private var settingSection: [String] {
        [
            ".Sh SETTINGS",
            "Each comes from its flag, else from its environment variable, else it has its default.",
            "A switch is",
            ".Cm true",
            "or",
            ".Cm false",
            "in the environment.",
            "Whatever command takes settings takes",
            ".Fl \\-print\\-config",
            "too, which prints every value and where it came from.",
            ".Bl -tag -width Ds",
        ]
            + settings.flatMap { setting in
                [".It \(flag(setting.name, setting.placeholder)) , Ev \(setting.variable)", "\(plain(setting.help))."]
                    + ["Allowed: \(plain(setting.allowed))."]
                    + (setting.defaultText.isEmpty ? [] : ["Default: \(plain(setting.defaultText))."])
            } + [".El"]
    }

    private var tail: [String] {
        [
            ".Sh SIGNALS", ".Bl -tag -width SIGTERM",
            ".It Dv SIGTERM , SIGINT",
            "The server is no longer ready, finishes what is under way and ends.", "A second one ends it at once.",
            ".It Dv SIGHUP", "Keys, tokens and certificates are read again.", ".El",
            ".Sh ENVIRONMENT", "Beside the settings:", ".Bl -tag -width NOTIFY_SOCKET",
            ".It Ev NOTIFY_SOCKET , WATCHDOG_USEC",
            "Tell the service manager that the server is ready, reloads, stops and is alive.",
            ".It Ev LISTEN_FDS , LISTEN_PID , LISTEN_FDNAMES",
            "Sockets that the service manager hands over take the place of the default of",
            ".Fl \\-listen .", ".El",
            ".Sh EXIT STATUS", ".Bl -tag -width Ds",
        ] + ExitCode.allCases.flatMap { [".It \($0.rawValue)", plain($0.meaning)] } + [
            ".El",
            ".Sh EXAMPLES", "A catalog, users and curl lines to try:", ".Pp", ".Dl pegboard demo",
            ".Pp", "What is in force, and where it came from:", ".Pp", ".Dl pegboard serve --print-config",
            ".Sh SEE ALSO", ".Xr systemd.service 5 ,", ".Xr systemd.socket 5",
        ]
    }

    private func flag(_ name: String, _ placeholder: String?) -> String {
        "Fl \\-\(plain(name))" + (placeholder.map { " Ar \(argument($0))" } ?? "")
    }

    /// One word of a macro's line.
    private func argument(_ text: String) -> String { "\"\(plain(text))\"" }

    /// What roff would take for a request, an escape or a letter of another encoding. A hyphen of ours is one to paste.
    private func plain(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { plain, scalar in
            switch scalar {
            case "\\": plain += "\\e"
            case "-": plain += "\\-"
            case "\"": plain += "\\(dq"
            case ".", "'": plain += plain.isEmpty ? "\\&\(scalar)" : "\(scalar)"
            case "…": plain += "..."
            case _ where scalar.isASCII: plain.unicodeScalars.append(scalar)
            default: plain += "\\[u\(String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4))]"
            }
        }
    }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String { String(repeating: "0", count: max(0, width - count)) + self }
}
