/// What was configured, and where each value came from: flag over environment over default.
struct Settings: Sendable {
    private(set) var configuration = Configuration()
    /// In the order of the table.
    private(set) var origins: [(setting: Setting, text: String, origin: Origin)] = []

    enum Origin: Sendable {
        case flag, environment, `default`

        /// How a message names the place.
        func place(of setting: Setting) -> String {
            switch self {
            case .flag: setting.flag
            case .environment: setting.variable
            case .default: "default"
            }
        }
    }

    /// - Parameter flags: by setting's name, as given on the command line.
    /// - Throws: `CommandFailure` 78 that names the value, its place and what is allowed.
    init(_ table: [Setting], flags: [String: String], environment: [String: String]) throws {
        configuration.eventLoops = min(Machine.cores, Configuration.mostEventLoops)
        try Self.checkNames(environment)
        for setting in table {
            guard let (text, origin) = Self.value(of: setting, flags, environment) else {
                origins.append((setting, setting.defaultText, .default))
                continue
            }
            do throws(Setting.NotAllowed) {
                try setting.apply(text, &configuration)
            } catch {
                throw CommandFailure(
                    .badConfiguration,
                    "\(origin.place(of: setting)): '\(setting.shown(text))' is not allowed; it is \(error.allowed)."
                )
            }
            origins.append((setting, text, origin))
        }
    }

    /// Whether somebody chose the value, be it the default's.
    func isGiven(_ setting: Setting) -> Bool {
        origins.contains { $0.setting.name == setting.name && $0.origin != .default }
    }

    private static func value(
        of setting: Setting, _ flags: [String: String], _ environment: [String: String]
    ) -> (String, Origin)? {
        if let text = flags[setting.name] { return (text, .flag) }
        // An empty variable is one that somebody has unset.
        if let text = environment[setting.variable], !text.isEmpty { return (text, .environment) }
        return nil
    }

    /// A misspelt variable would silently leave the default in force.
    private static func checkNames(_ environment: [String: String]) throws {
        var known = Setting.server.map(\.variable)
        #if DEBUG
            known.append(SeededFault.variable)
        #endif
        for name in environment.keys.sorted() where name.hasPrefix("PEGBOARD_") && !known.contains(name) {
            throw CommandFailure(
                .badConfiguration, "\(name) is no setting of Pegboard; `pegboard serve --help` lists them.")
        }
    }

    /// `--print-config`: one line a setting.
    var printed: String {
        let width = origins.map(\.setting.name.count).max() ?? 0
        return origins.map { setting, text, origin in
            let name = setting.name.padding(to: width)
            return "\(name) = \(text.isEmpty ? "(none)" : setting.shown(text))   # \(origin.place(of: setting))\n"
        }.joined()
    }
}

extension String {
    /// The text with spaces behind it.
    func padding(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }
}
