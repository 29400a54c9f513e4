package import HTTP1

package struct ServerConfiguration: Sendable {
    package var addresses: [ListenAddress] = [.ipv4(host: "127.0.0.1", port: 8080)]
    /// How many event loops; a core each is right, since the kernel's part of a request is by far the largest.
    package var eventLoops = 1
    /// More are answered 503 at once. Keep it well below the limit of descriptors: the storage needs some, too.
    package var maxConnections = 10_000
    package var limits = Limits()
    package var timeouts = Timeouts()
    /// Octets of answers that may wait for one peer. Beyond that nothing more is read from it, and its stream waits.
    package var outputBudget = 256 * 1024
    /// Octets that the kernel may hold for one peer; it doubles them.
    package var sendBuffer = 64 * 1024
    /// Spoken on every TCP address; nil for plain HTTP. Unix sockets are plain: what reaches them is on this machine.
    package var tls: TLSFiles?
    /// Field lines for every response, as `X-Content-Type-Options: nosniff`.
    package var serverFields = Fields()
    /// Called on an event loop that has handed over all the requests it found, before it waits for others. Never block in it.
    package var whenRoundEnds: @Sendable () -> Void = {}

    package init() {}
}
