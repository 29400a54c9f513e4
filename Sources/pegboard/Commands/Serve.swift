import Glibc
import HTTPTransport
import LayoutApplication

extension Command {
    static let serve = Command(
        name: "serve", summary: "Run the server", settings: Setting.server
    ) { invocation in
        var configuration = invocation.configuration
        try configuration.take(
            HandedOverSockets.of(Machine.environment), listenIsGiven: invocation.settings.isGiven(.listen))
        try configuration.check()
        let log = Log(try configuration.currentLogLevel(), configuration.logFormat)
        configuration.fitDescriptors(log)
        let application = try await Application.open(configuration, log: log)
        try await serve(application, log) { _ in }
    }

    /// Serves until a signal comes, then shuts down in order; a second signal ends at once. A service manager hears of it.
    ///
    /// - Parameter started: told where, once it listens.
    static func serve(_ application: Application, _ log: Log, started: ([ListenAddress]) -> Void) async throws {
        let manager = ServiceManager(Machine.environment)
        let signals = Signals(
            reload: {
                manager?.tell(.reloading)
                application.reload()
                manager?.tell(.reloaded)
            },
            again: { number in
                log.warning("ended at once", ["signal": .number(Int(number))])
                log.flush()
                _exit(128 + number)
            })
        do {
            started(try application.start())
        } catch {
            await application.close()
            log.flush()
            throw error
        }
        let heartbeat = Task { await application.keepStreamsAlive() }
        let freshness = Task { await application.keepCertificateFresh() }
        let watchdog = Watchdog(for: manager, application)
        manager?.tell(.ready)
        await signals.first()
        manager?.tell(.stopping)
        await application.shutDown()
        watchdog?.stop()
        heartbeat.cancel()
        freshness.cancel()
        log.flush()
    }
}

extension Configuration {
    /// Keeps enough descriptors back for the database, its log and whatever else has to be opened.
    fileprivate mutating func fitDescriptors(_ log: Log) {
        #if DEBUG
            if SeededFault.noConnectionLimit.isPlanted {
                maxConnections = .max / 2
                return
            }
        #endif
        let limit = Machine.raiseDescriptorLimit()
        // A loop has its epoll, its inbox, a listener and a reserve; three connections to SQLite, each with its log.
        let most = max(1, limit - 32 - 4 * eventLoops)
        guard maxConnections > most else { return }
        log.warning("fewer connections than configured", ["descriptors": .number(limit), "connections": .number(most)])
        maxConnections = most
    }
}
