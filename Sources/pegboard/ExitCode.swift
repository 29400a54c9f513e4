/// How a command ends, for whoever called it: sysexits.h, as far as it is needed.
enum ExitCode: Int32, CaseIterable {
    case done = 0
    case usage = 64
    case badInput = 65
    case unavailable = 69
    case ourFault = 70
    case cannotCreate = 73
    case tryAgain = 75
    case badConfiguration = 78

    var meaning: String {
        switch self {
        case .done: "Done."
        case .usage: "Wrong usage."
        case .badInput: "What was given to read is not good."
        case .unavailable: "Something that it needs does not answer."
        case .ourFault: "A fault of the program."
        case .cannotCreate: "A file cannot be made, or is another's."
        case .tryAgain: "Try again later."
        case .badConfiguration: "The configuration is not good."
        }
    }
}

/// A command that could not do its work: what to say on standard error, and the exit code.
struct CommandFailure: Error {
    var code: ExitCode
    var message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
