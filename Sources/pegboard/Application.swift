import HTTP1
import HTTPTransport
import LayoutAPI
import LayoutApplication
import LayoutModel
import Metrics

/// Everything that serves, put together from a configuration: the one place that knows all parts.
struct Application: Sendable {
    let store: any LayoutStore
    let layouts: LayoutService
    let catalogs: CatalogService
    let server: Server
    /// Where the metrics have a port of their own.
    private let metricsServer: Server?
    private let credentials: CredentialWatch?
    private let health: Health
    private let maintenance: Maintenance
    private let feed = ChangeFeed()
    private let log: Log
    private let configuration: Configuration

    /// Opens the storage and reads the catalog, or publishes the configured one where there is none. Nothing listens yet.
    ///
    /// - Throws: `CommandFailure`, with the exit code that fits.
    static func open(_ configuration: Configuration, log: Log) async throws -> Application {
        let credentials = configuration.authentication == .jwt ? try CredentialWatch(configuration.tokens, log) : nil
        let commits = CommitMetrics()
        let store = try await Storage.open(configuration, log: log, commits: commits)
        var scrape = Scrape()
        scrape.sources += [store, commits]
        if case .file(let path) = configuration.database { scrape.sources.append(DatabaseFileMetrics(path: path)) }
        do {
            return try await Application(
                configuration, store: store, credentials: credentials, scrape: scrape, log: log)
        } catch {
            await store.close()
            throw error
        }
    }

    private init(
        _ configuration: Configuration, store: any LayoutStore, credentials: CredentialWatch?, scrape: Scrape, log: Log
    ) async throws {
        self.configuration = configuration
        self.store = store
        self.credentials = credentials
        self.log = log
        health = Health()
        catalogs = try await CatalogService(store: store, coding: .json, clock: Machine.now)
        layouts = LayoutService(store: store, catalogs: catalogs, feed: feed, clock: Machine.now)
        if let path = configuration.catalog, catalogs.catalog.revision == 0 {
            try await Self.publish(try CatalogFile.read(path), to: catalogs, log)
        }
        var settings = API.Settings(clock: Machine.now)
        settings.uptime = { .now }
        if let credentials { settings.authentication = .bearer(credentials.authenticator) }
        settings.servesConsole = configuration.servesConsole
        settings.contentLimit = configuration.maxBody
        settings.toleratesProxyTagSuffixes = configuration.toleratesProxyTagSuffixes
        settings.idempotencyTimeToLive = Int64(configuration.idempotencyTimeToLive.milliseconds)
        if let folder = configuration.backupDirectory {
            let backups = try BackupDirectory(folder, database: try Copies.file(of: configuration), log: log)
            settings.backup = { try await backups.make($0) }
        }
        settings.rateLimiter = RateLimiter(
            perUser: configuration.rateLimitPerUser, perAddress: configuration.rateLimitPerAddress)
        settings.log = { log.exchange($0) }
        if configuration.slowRequest > .zero {
            settings.slowLog = SlowLog(threshold: configuration.slowRequest) { log.slow($0) }
        }
        settings.logLevel = log
        let counters = Counters()
        var scrape = scrape
        scrape.sources += [settings.metrics, counters, catalogs]
        if let limiter = settings.rateLimiter { scrape.sources.append(limiter) }
        if let address = configuration.metricsListen {
            metricsServer = Server(
                configuration: .forMetrics(on: address), handler: MetricsPort(scrape.page))
        } else {
            metricsServer = nil
            settings.metricsPage = scrape.page
        }
        let api = API(layouts: layouts, catalogs: catalogs, health: health, settings: settings)
        var serverConfiguration = configuration.serverConfiguration
        if let endReads = store.shareReadsAtHand() { serverConfiguration.whenRoundEnds = endReads }
        server = Server(
            configuration: serverConfiguration,
            handler: Self.handler(of: api, allowing: configuration.corsOrigins), counters: counters)
        // The last step: nothing after it can fail, and leave it without an owner.
        maintenance = Maintenance(
            of: store, historyAge: configuration.historyAge, requestAge: configuration.idempotencyTimeToLive, log: log)
    }

    private static func handler(of api: API, allowing origins: AllowedOrigins?) -> any RequestHandler {
        let handler: any RequestHandler = if let origins { CrossOrigin(api, allowing: origins) } else { api }
        #if DEBUG
            return SeededFault.plant(in: handler)
        #else
            return handler
        #endif
    }

    static func publish(_ draft: CatalogDraft, to catalogs: CatalogService, _ log: Log) async throws {
        let published = try await catalogs.publish(draft, by: "pegboard", if: .none)
        log.info("catalog published", ["revision": .number(published.catalog.revision)])
    }

    /// Listens.
    ///
    /// - Returns: where, in the order of the configuration.
    func start() throws -> [ListenAddress] {
        do throws(ServerError) {
            let addresses = try server.start()
            for address in addresses {
                log.announce("listening", ["address": .text(address.url(isSecure: configuration.tls != nil))])
            }
            for address in try metricsServer?.start() ?? [] {
                log.announce("metrics listening", ["address": .text(address.url() + "/metrics")])
            }
            logCertificate("certificate in use")
            return addresses
        } catch {
            if case .tls = error { throw CommandFailure(.badConfiguration, "\(error).") }
            throw CommandFailure(.unavailable, "\(error).")
        }
    }

    /// Reads again what may be changed while serving.
    func reload() {
        credentials?.reload()
        reloadCertificate()
        reloadLogLevel()
    }

    /// Back to what is configured, whatever was asked for meanwhile.
    private func reloadLogLevel() {
        do {
            log.change(to: try configuration.currentLogLevel())
        } catch {
            log.error("log level not read, the old one stays", ["reason": .text("\(error)")])
        }
    }

    /// Now and then, without being asked: a renewed certificate is seen, and tickets are of no use for long. Who has the
    /// key of a ticket can read what was said in its session. Ends with its task.
    func keepCertificateFresh() async {
        guard configuration.tls != nil, configuration.tlsReload > .zero else { return }
        while (try? await Task.sleep(for: configuration.tlsReload)) != nil { reloadCertificate() }
    }

    private func reloadCertificate() {
        guard configuration.tls != nil else { return }
        do throws(TLSError) {
            try server.reloadTLS()
            logCertificate("certificate reloaded")
        } catch {
            log.error("certificate not reloaded, the old one stays", ["reason": .text("\(error)")])
        }
    }

    /// A certificate that nobody has renewed is seen before clients see it.
    private func logCertificate(_ message: StaticString) {
        guard let left = server.certificateTimeLeft else { return }
        let days = left.components.seconds / 86_400
        log.info(message, ["daysLeft": .number(Int(days))])
        if left < .zero {
            log.error("certificate has expired")
        } else if days < 14 {
            log.warning("certificate expires soon", ["daysLeft": .number(Int(days))])
        }
        if let toGo = server.certificateTimeToGo, toGo > .zero {
            // Its issuer's clock, or this machine's, is wrong.
            log.error("certificate is not valid yet", ["secondsToGo": .number(Int(toGo.components.seconds))])
        }
    }

    /// Sends a sign of life down every event stream now and then, so that proxies and phones keep it open. Ends with its
    /// task.
    func keepStreamsAlive() async {
        while (try? await Task.sleep(for: .seconds(15))) != nil { feed.beat() }
    }

    /// Returns once every event loop and the store's writer have done something new: none of them is stuck.
    func takeTurn() async {
        await server.takeTurn()
        await store.takeTurn()
    }

    /// Not ready from now on; after the drain delay nobody new is let in, and what is under way finishes.
    func shutDown() async {
        #if DEBUG
            if SeededFault.noDrain.isPlanted { return }
        #endif
        health.beginDraining()
        log.info("draining", ["delayMilliseconds": .number(configuration.drainDelay.milliseconds)])
        try? await Task.sleep(for: configuration.drainDelay)
        // Streams and long polls would stay as long as they are let: they end with a hint when to come back.
        feed.close()
        let cut = await server.drain(within: configuration.drainTimeout)
        if cut > 0 { log.warning("connections cut", ["count": .number(cut)]) }
        // To the end: how a server stops is worth seeing, too.
        metricsServer?.stop()
        _ = await metricsServer?.ended()
        await close()
        log.info("stopped")
    }

    /// Lets go of the storage. Where nothing ever listened this is all there is to end.
    func close() async {
        await maintenance.stop()
        await store.close()
    }
}

extension ListenAddress {
    /// As curl takes it.
    func url(isSecure: Bool = false) -> String {
        switch self {
        case .ipv4, .ipv6: isSecure ? "https://\(self)" : "http://\(self)"
        case .unix, .descriptor: "\(self)"
        }
    }
}
