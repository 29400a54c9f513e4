import HTTPTransport

extension Command {
    static let healthcheck = Command(
        name: "healthcheck", summary: "Ask a server whether it is ready; exit code 0 when it is",
        operands: [.init(name: "URL", isOptional: true)], settings: [.listen, .tlsCertificate]
    ) { invocation in
        let configuration = invocation.configuration
        let (address, isSecure) =
            try invocation.operands.first.map(address(ofURL:))
            ?? (configuration.listen[0], configuration.tlsCertificate != nil && configuration.listen[0].port != nil)
        let url = address.url(isSecure: isSecure)
        let status = HealthProbe.status(of: "/readyz", at: address, isSecure: isSecure, within: .seconds(2))
        guard let status else { throw CommandFailure(.unavailable, "\(url) does not answer.") }
        guard status == 200 else { throw CommandFailure(.unavailable, "\(url)/readyz says \(status).") }
    }

    /// `http://127.0.0.1:8080` or `https://127.0.0.1:8443`, with a path or without.
    private static func address(ofURL url: String) throws -> (ListenAddress, isSecure: Bool) {
        let isSecure = url.hasPrefix("https://")
        let scheme = isSecure ? "https://" : "http://"
        let authority = url.hasPrefix(scheme) ? String(url.dropFirst(scheme.count).prefix { $0 != "/" }) : url
        do throws(ServerError) {
            return (try ListenAddress(authority), isSecure)
        } catch {
            throw CommandFailure(
                .usage,
                "'\(url)' is no address to ask: give http://HOST:PORT or https://HOST:PORT, with a numeric host.")
        }
    }
}
