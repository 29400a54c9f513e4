import HTTPTransport

extension Command {
    static let healthcheck = Command(
        name: "healthcheck", summary: "Ask a server whether it is ready; exit code 0 when it is",
        operands: [.init(name: "URL", isOptional: true)], settings: [.listen]
    ) { invocation in
        let address = try invocation.operands.first.map(address(ofURL:)) ?? invocation.configuration.listen[0]
        guard let status = HealthProbe.status(of: "/readyz", at: address, within: .seconds(2)) else {
            throw CommandFailure(.unavailable, "\(address.url) does not answer.")
        }
        guard status == 200 else { throw CommandFailure(.unavailable, "\(address.url)/readyz says \(status).") }
    }

    /// `http://127.0.0.1:8080`, with a path or without.
    private static func address(ofURL url: String) throws -> ListenAddress {
        let authority = url.hasPrefix("http://") ? String(url.dropFirst(7).prefix { $0 != "/" }) : url
        do throws(ServerError) {
            return try ListenAddress(authority)
        } catch {
            throw CommandFailure(.usage, "'\(url)' is no address to ask: give http://HOST:PORT, with a numeric host.")
        }
    }
}
