/// What a handler says to a request.
package enum Answer: Sendable {
    /// Ready at once, from memory: the event loop sends it without starting a task.
    case now(Response)
    /// To be worked out; runs as a task on the connection's event loop. Answers leave in the order of their requests.
    case later(@Sendable () async -> Response)
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
