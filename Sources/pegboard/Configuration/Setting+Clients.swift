import LayoutAPI

// How clients are met: TLS, limits, and whose pages may call.

extension Setting {
    static let tlsCertificate = path(
        "tls-certificate",
        "PEM file of the certificate, and of those that lead to a known one; https on every TCP address",
        of: "a PEM file"
    ) { $0.tlsCertificate = $1 }

    static let tlsKey = path("tls-key", "PEM file of the certificate's key, without a passphrase", of: "a PEM file") {
        $0.tlsKey = $1
    }

    static let rateLimit = limit("rate-limit", "Requests of one user: 20/s, 600/m or 5000/h, with :40 for a burst") {
        $0.rateLimitPerUser = $1
    }

    static let rateLimitAddress = limit(
        "rate-limit-address", "Requests from one address, likewise; not behind a proxy, whose address is everybody's"
    ) { $0.rateLimitPerAddress = $1 }

    static let corsOrigins = Setting(
        "cors-origins", "ORIGIN,…", "",
        "Web pages that may read the answers: https://app.example.com; several with commas"
    ) { (text, configuration) throws(NotAllowed) in
        guard let origins = AllowedOrigins(text) else {
            throw NotAllowed(
                allowed: "origins as browsers send them, with commas between them: https://app.example.com, "
                    + "http://localhost:3000; not *")
        }
        configuration.corsOrigins = origins
    }

    private static func limit(
        _ name: String, _ help: String, _ set: @escaping @Sendable (inout Configuration, RateLimit?) -> Void
    ) -> Setting {
        Setting(name, "RATE", "off", help) { (text, configuration) throws(NotAllowed) in
            guard text != "off" else { return set(&configuration, nil) }
            guard let limit = RateLimit(text) else {
                throw NotAllowed(
                    allowed: "off, or a number a second (20/s), a minute (/m) or an hour (/h), with :40 for a burst of "
                        + "40; numbers are 1 to 1000000")
            }
            set(&configuration, limit)
        }
    }
}
