import HTTP1
import HTTPTransport
import LayoutAPI

/// Everything an operator can choose. What it is called, where it comes from and what is allowed stands in `Setting.all`.
struct Configuration: Sendable {
    var listen = [ListenAddress.ipv4(host: "127.0.0.1", port: 8080)]
    var database = Database.file("pegboard.db")
    var databaseConnections = 8
    var databaseConnectionAge = Duration.seconds(1_800)
    var authentication = AuthenticationMode.jwt
    var isKnownToBeOpen = false
    var tokens = Tokens()
    var catalog: String?
    var migrates = true
    var backupDirectory: String?
    var servesConsole = true

    var eventLoops = 1
    /// Each holds a thread of libdispatch's pool, which has 255, and the storage needs some of them.
    static let mostEventLoops = 128
    var maxConnections = 10_000
    var maxBody = 64 * 1_024
    var maxHeader = 16 * 1_024
    var headerTimeout = Duration.seconds(10)
    var bodyTimeout = Duration.seconds(30)
    var idleTimeout = Duration.seconds(75)
    var drainDelay = Duration.seconds(1)
    var drainTimeout = Duration.seconds(20)

    var history = 50
    var historyAge = Duration.seconds(90 * 86_400)
    var idempotencyTimeToLive = Duration.seconds(24 * 3_600)
    var cacheBytes = 64 * 1_024 * 1_024
    var toleratesProxyTagSuffixes = false

    var tlsCertificate: String?
    var tlsKey: String?
    var tlsReload = Duration.seconds(86_400)
    var rateLimitPerUser: RateLimit?
    var rateLimitPerAddress: RateLimit?
    var corsOrigins: AllowedOrigins?

    var metricsListen: ListenAddress?
    var logLevel = Log.Level.info
    var logLevelFile: String?
    var logFormat = Log.Format.auto
    var slowRequest = Duration.milliseconds(500)

    enum AuthenticationMode: String, Sendable { case jwt, none }

    var serverConfiguration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.addresses = listen
        configuration.eventLoops = eventLoops
        configuration.maxConnections = maxConnections
        configuration.limits.head = maxHeader
        configuration.limits.content = maxBody
        configuration.timeouts.head = headerTimeout
        configuration.timeouts.content = bodyTimeout
        configuration.timeouts.idle = idleTimeout
        configuration.tls = tls
        // A browser that is shown one of our answers takes it for what it says it is, and for nothing else; does not hand
        // it to another site's page that did not ask properly (CORS); and tells nobody where it came from. They cost every
        // answer 107 octets, so those that only make sense on pages or on errors are not here.
        configuration.serverFields.append(name: "X-Content-Type-Options", value: "nosniff")
        configuration.serverFields.append(name: "Cross-Origin-Resource-Policy", value: "same-origin")
        configuration.serverFields.append(name: "Referrer-Policy", value: "no-referrer")
        return configuration
    }

    var tls: TLSFiles? {
        guard let tlsCertificate, let tlsKey else { return nil }
        return TLSFiles(certificate: tlsCertificate, key: tlsKey)
    }

    /// The configured level: that of the file, where there is one.
    ///
    /// - Throws: `CommandFailure` 78 for a file without a level in it.
    func currentLogLevel() throws -> LogLevel {
        guard let logLevelFile else { return logLevel }
        let text = String(decoding: try Machine.read(logLevelFile), as: UTF8.self).filter { !$0.isWhitespace }
        guard let level = LogLevel(rawValue: text) else {
            throw CommandFailure(
                .badConfiguration,
                "\(logLevelFile): '\(text.prefix(40))' is no level; it is debug, info, warning or error.")
        }
        return level
    }

    /// What only makes sense together.
    func check() throws {
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            let (given, missing) = tlsKey == nil ? (Setting.tlsCertificate, Setting.tlsKey) : (.tlsKey, .tlsCertificate)
            throw CommandFailure(
                .badConfiguration, "\(given.flag) needs \(missing.flag) (\(missing.variable)) beside it.")
        }
        switch authentication {
        case .jwt: try tokens.check()
        case .none: try checkNobodyElseReachesIt()
        }
    }

    private func checkNobodyElseReachesIt() throws {
        if let open = listen.first(where: { !$0.isLoopback }), !isKnownToBeOpen {
            throw CommandFailure(
                .badConfiguration,
                "--auth none on \(open) would let everybody who reaches it change everything. Listen on loopback, or "
                    + "say --i-know-this-is-open where something else keeps strangers out.")
        }
    }
}
