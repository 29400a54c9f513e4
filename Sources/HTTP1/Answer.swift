/// What a handler says to a request. Answers leave in the order of their requests.
package enum Answer: Sendable {
    /// Ready at once, from memory: the event loop sends it without starting a task.
    case now(Response)
    /// To be worked out; runs as a task on the connection's event loop.
    case later(@Sendable () async -> Response)
    /// In the hands of somebody else, who is no task and says so to the reply when it is there. Called on the event loop:
    /// what it begins must not block there.
    case promised(@Sendable (Reply) -> Void)
}

/// Where a promised answer goes.
package struct Reply: Sendable {
    private let deliver: @Sendable (@escaping @Sendable () -> Response) -> Void

    package init(_ deliver: @escaping @Sendable (@escaping @Sendable () -> Response) -> Void) { self.deliver = deliver }

    /// To be called once, from any thread, whether or not the peer still waits.
    ///
    /// - Parameter make: makes the response, on the connection's event loop.
    package func give(_ make: @escaping @Sendable () -> Response) { deliver(make) }
}

/// What stands behind the HTTP core: everything that knows what a request means.
package protocol RequestHandler: Sendable {
    /// How the content that follows this head is to come. Not asked where none follows.
    func delivery(for head: Request) -> ContentDelivery

    /// Called on an event loop with the whole request: never block in it.
    func answer(_ request: Request) -> Answer

    /// Words the refusal of a message that could not be understood or is too large. The connection closes afterwards.
    func answer(_ error: ProtocolError) -> Response
}
