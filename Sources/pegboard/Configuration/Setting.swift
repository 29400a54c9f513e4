import HTTPTransport

/// One thing that can be configured: `--max-body`, or `PEGBOARD_MAX_BODY`. The only place where it is described: parsing,
/// `--help`, `--print-config` and the messages about wrong values follow it.
struct Setting: Sendable {
    let name: String
    /// What its value looks like in the help, `ValueKind` reads more out of it; nil for a switch.
    let placeholder: String?
    let defaultText: String
    let help: String
    /// Takes a value in.
    ///
    /// - Throws: `NotAllowed`, with what would be.
    let apply: @Sendable (String, inout Configuration) throws(NotAllowed) -> Void
    /// A value as it may be shown: without what is secret.
    var shown: @Sendable (String) -> String = { $0 }

    struct NotAllowed: Error { let allowed: String }

    /// What its value may be, in the words of the message about a wrong one. No value holds control characters, and a path
    /// that may hold everything may not be empty.
    var allowed: String {
        for wrong in ["\u{1}", ""] {
            var unused = Configuration()
            do throws(NotAllowed) { try apply(wrong, &unused) } catch { return error.allowed }
        }
        return "anything"
    }

    var flag: String { "--\(name)" }
    var variable: String { "PEGBOARD_" + name.uppercased().split(separator: "-").joined(separator: "_") }

    init(
        _ name: String, _ placeholder: String?, _ defaultText: String, _ help: String,
        _ apply: @escaping @Sendable (String, inout Configuration) throws(NotAllowed) -> Void
    ) {
        self.name = name
        self.placeholder = placeholder
        self.defaultText = defaultText
        self.help = help
        self.apply = apply
    }
}

extension Setting {
    static let listen = Setting(
        "listen", "ADDRESS,…", "127.0.0.1:8080",
        "Where to listen: HOST:PORT, [IPV6]:PORT, unix:PATH or fd:N; several with commas"
    ) { (text, configuration) throws(NotAllowed) in
        var addresses: [ListenAddress] = []
        let allowed = NotAllowed(allowed: "\(ListenAddress.allowed), with commas between several")
        for part in text.split(separator: ",") {
            do throws(ServerError) { addresses.append(try ListenAddress(String(part))) } catch { throw allowed }
        }
        guard !addresses.isEmpty else { throw allowed }
        configuration.listen = addresses
    }

    static let database: Setting = {
        var setting = Setting(
            "database", "URL", "sqlite:pegboard.db",
            "Where layouts are kept: sqlite:PATH, sqlite::memory: to forget them at the end, or postgresql://HOST,…/DB"
        ) { (text, configuration) throws(NotAllowed) in
            guard let database = Configuration.Database(text) else {
                throw NotAllowed(allowed: "sqlite:PATH, sqlite::memory: or postgresql://USER@HOST:PORT,…/DATABASE")
            }
            configuration.database = database
        }
        setting.shown = Configuration.Database.withoutPassword
        return setting
    }()

    static let databaseConnections = count(
        "database-connections", 1...200, "8", "Connections to PostgreSQL, at most"
    ) { $0.databaseConnections = $1 }

    static let databaseConnectionAge = time(
        "database-connection-age", from: "1s", "30m",
        "How old a connection to PostgreSQL gets before another takes its place"
    ) { $0.databaseConnectionAge = $1 }

    static let isKnownToBeOpen = toggle("i-know-this-is-open", "Allow --auth none on an address other than loopback") {
        $0.isKnownToBeOpen = $1
    }

    static let catalog = path(
        "catalog", "Catalog to publish on the first start, when the database has none", of: "a JSON file"
    ) { $0.catalog = $1 }

    static let noMigrate = toggle("no-migrate", "Refuse to start on an old schema instead of migrating it") {
        $0.migrates = !$1
    }

    static let noConsole = toggle("no-console", "Serve neither the web console nor the reference of the API") {
        $0.servesConsole = !$1
    }

    static let backupDirectory = path(
        "backup-directory", "Where POST /v1/admin/backup puts its copies; without it there are none",
        of: "a folder", shownAs: "FOLDER"
    ) { $0.backupDirectory = $1 }

    static let server: [Setting] = [
        listen, database, databaseConnections, databaseConnectionAge, auth, isKnownToBeOpen, jwks, jwtSecretFile,
        jwtIssuer, jwtAudience, jwtAlgorithms,
        adminTokenFile, catalog, noMigrate, backupDirectory, noConsole,
        count("event-loops", 1...Configuration.mostEventLoops, "number of cores", "Event loops, one thread each") {
            $0.eventLoops = $1
        },
        count("max-connections", 1...1_000_000, "10000", "Connections at a time; more are answered 503") {
            $0.maxConnections = $1
        },
        size(
            "max-body", 1_024...64 << 20, "64KiB",
            "Longest content of a request, beside catalogs, whole lists and imports; more is answered 413"
        ) {
            $0.maxBody = $1
        },
        size("max-header", 1_024...1 << 20, "16KiB", "Longest head of a request; more is answered 431") {
            $0.maxHeader = $1
        },
        time("header-timeout", from: "100ms", "10s", "For a head to arrive, from its first byte") {
            $0.headerTimeout = $1
        },
        time("body-timeout", from: "100ms", "30s", "For the content to arrive") { $0.bodyTimeout = $1 },
        time("idle-timeout", from: "100ms", "75s", "For the next request of a connection") { $0.idleTimeout = $1 },
        time("drain-delay", from: "0s", "1s", "How long to go on accepting when told to stop, with /readyz at 503") {
            $0.drainDelay = $1
        },
        time("drain-timeout", from: "0s", "20s", "For requests in flight to finish when told to stop") {
            $0.drainTimeout = $1
        },
        count("history", 1...100_000, "50", "Versions kept of each layout") { $0.history = $1 },
        time(
            "history-age", from: "0s", to: "36500d", "90d",
            "How old a version gets, unless it is the newest of its layout"
        ) {
            $0.historyAge = $1
        },
        time(
            "idempotency-ttl", from: "1s", to: "3650d", "24h",
            "How long the answer to a request with an Idempotency-Key is kept"
        ) {
            $0.idempotencyTimeToLive = $1
        },
        size("cache", 0...1 << 40, "64MiB", "Memory for layouts") { $0.cacheBytes = $1 },
        toggle("proxy-tag-suffixes", "Take \"7-gzip\" and \"7--gzip\", as some proxies write tags, for \"7\"") {
            $0.toleratesProxyTagSuffixes = $1
        },
        tlsCertificate, tlsKey,
        time(
            "tls-reload", from: "0s", "24h",
            "How often certificate and key are read again, which makes new ticket keys; 0s for never"
        ) { $0.tlsReload = $1 },
        rateLimit, rateLimitAddress, corsOrigins,
        metricsListen, logLevel, logLevelFile, logFormat, slowRequest,
    ]
}

// MARK: Kinds of values

extension Setting {
    private static func toggle(
        _ name: String, _ help: String, _ set: @escaping @Sendable (inout Configuration, Bool) -> Void
    ) -> Setting {
        Setting(name, nil, "false", help) { (text, configuration) throws(NotAllowed) in
            switch text {
            case "true", "1", "yes": set(&configuration, true)
            case "false", "0", "no": set(&configuration, false)
            default: throw NotAllowed(allowed: "true or false")
            }
        }
    }

    private static func count(
        _ name: String, _ range: ClosedRange<Int>, _ defaultText: String, _ help: String,
        _ set: @escaping @Sendable (inout Configuration, Int) -> Void
    ) -> Setting {
        Setting(name, "N", defaultText, help) { (text, configuration) throws(NotAllowed) in
            guard let number = Int(text), range.contains(number) else {
                throw NotAllowed(allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            set(&configuration, number)
        }
    }

    private static func size(
        _ name: String, _ range: ClosedRange<Int>, _ defaultText: String, _ help: String,
        _ set: @escaping @Sendable (inout Configuration, Int) -> Void
    ) -> Setting {
        Setting(name, "SIZE", defaultText, help) { (text, configuration) throws(NotAllowed) in
            guard let octets = Units.octets(text), range.contains(octets) else {
                throw NotAllowed(
                    allowed:
                        "\(range.lowerBound) to \(range.upperBound) bytes, with KiB, MiB or GiB behind it for larger units"
                )
            }
            set(&configuration, octets)
        }
    }

    static func path(
        _ name: String, _ help: String, of what: String, shownAs placeholder: String = "FILE",
        _ set: @escaping @Sendable (inout Configuration, String) -> Void
    ) -> Setting {
        Setting(name, placeholder, "", help) { (text, configuration) throws(NotAllowed) in
            guard !text.isEmpty else { throw NotAllowed(allowed: "the path of \(what)") }
            set(&configuration, text)
        }
    }

    /// - Parameters:
    ///   - least: as people write it, like the others.
    ///   - most: a year says for ever, and can be added to any time.
    static func time(
        _ name: String, from least: String, to most: String = "365d", _ defaultText: String, _ help: String,
        _ set: @escaping @Sendable (inout Configuration, Duration) -> Void
    ) -> Setting {
        Setting(name, "TIME", defaultText, help) { (text, configuration) throws(NotAllowed) in
            guard let duration = Units.duration(text), let first = Units.duration(least),
                let last = Units.duration(most), (first...last).contains(duration)
            else {
                throw NotAllowed(allowed: "\(least) to \(most): a number with ms, s, m, h or d behind it, such as 30s")
            }
            set(&configuration, duration)
        }
    }
}

/// Sizes and times as people write them.
enum Units {
    static func octets(_ text: String) -> Int? {
        scaled(text, by: [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("", 1)])
    }

    static func duration(_ text: String) -> Duration? {
        scaled(text, by: [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)])
            .map { .milliseconds($0) }
    }

    private static func scaled(_ text: String, by units: [(suffix: String, factor: Int)]) -> Int? {
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let number = Int(text.dropLast(unit.suffix.count)), number >= 0 else { continue }
            let (product, overflow) = number.multipliedReportingOverflow(by: unit.factor)
            return overflow ? nil : product
        }
        return nil
    }
}
