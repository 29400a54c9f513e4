import HTTPTransport
import LayoutAPI

// What the server tells: metrics and the log.

extension Setting {
    static let metricsListen = Setting(
        "metrics-listen", "ADDRESS", "",
        "Serve /metrics there, to whoever reaches it, and no longer to administrators with the API"
    ) { (text, configuration) throws(NotAllowed) in
        do throws(ServerError) { configuration.metricsListen = try ListenAddress(text) } catch {
            throw NotAllowed(allowed: ListenAddress.allowed)
        }
    }

    static let logLevel = Setting(
        "log-level", "debug|info|warning|error", "info", "Least important message to log"
    ) { (text, configuration) throws(NotAllowed) in
        guard let level = Log.Level(rawValue: text) else { throw NotAllowed(allowed: "debug, info, warning or error") }
        configuration.logLevel = level
    }

    static let logLevelFile = path(
        "log-level-file", "File that holds the level instead, read at the start and on SIGHUP",
        of: "a file with a level in it"
    ) { $0.logLevelFile = $1 }

    static let slowRequest = time(
        "slow-request", from: "0s", "500ms", "Log where the time of a request went that took as long; 0s for none"
    ) { $0.slowRequest = $1 }

    static let logFormat = Setting(
        "log-format", "auto|text|json", "auto", "How the log is written; auto is text on a terminal, else JSON lines"
    ) { (text, configuration) throws(NotAllowed) in
        guard let format = Log.Format(rawValue: text) else { throw NotAllowed(allowed: "auto, text or json") }
        configuration.logFormat = format
    }
}
