/// One command of the program. Parsing, `--help` and the messages about wrong usage follow this table.
struct Command: Sendable {
    /// One word, or two: `catalog lint`.
    let name: String
    let summary: String
    var operands: [Operand] = []
    /// What it takes from the configuration.
    var settings: [Setting] = []
    /// What belongs to this command alone.
    var options: [Option] = []
    let run: @Sendable (Invocation) async throws -> Void

    struct Operand: Sendable {
        let name: String
        var isOptional = false
    }

    struct Option: Sendable {
        let name: String
        /// nil for a switch.
        var placeholder: String?
        let help: String
    }

    static let all: [Command] = [
        .serve, .demo, .migrate, .catalogLint, .catalogShow, .catalogPublish, .layoutsExport, .layoutsImport,
        .layoutsSeed,
        .backup, .restore, .renumber, .verify, .tokenMint, .tokenHash, .healthcheck, .man, .completions, .version,
    ]
}

/// A command as it was called.
struct Invocation: Sendable {
    let command: Command
    let operands: [String]
    /// By name; a switch has an empty text.
    let options: [String: String]
    let settings: Settings

    var configuration: Configuration { settings.configuration }
}
