import Glibc
import HTTPTransport
import LayoutApplication

extension Command {
    static let serve = Command(
        name: "serve", summary: "Run the server", settings: Setting.server
    ) { invocation in
        var configuration = invocation.configuration
        try configuration.check()
        let log = Log(try configuration.currentLogLevel(), configuration.logFormat)
        configuration.fitDescriptors(log)
        let application = try await Application.open(configuration, log: log)
        try await serve(application, log) { _ in }
    }

    /// Serves until a signal comes, then shuts down in order; a second signal ends at once.
    ///
    /// - Parameter started: told where, once it listens.
    static func serve(_ application: Application, _ log: Log, started: ([ListenAddress]) -> Void) async throws {
        let signals = Signals(
            reload: { application.reload() },
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
        await signals.first()
        await application.shutDown()
        heartbeat.cancel()
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
