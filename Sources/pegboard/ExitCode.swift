/// How a command ends, for whoever called it: sysexits.h, as far as it is needed.
enum ExitCode: Int32 {
    case done = 0
    case usage = 64
    case badInput = 65
    case unavailable = 69
    case ourFault = 70
    case cannotCreate = 73
    case tryAgain = 75
    case badConfiguration = 78
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
