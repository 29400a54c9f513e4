/// What a store could not do. Nothing was changed, unless the case says otherwise.
package enum StoreError: Error, Equatable, Sendable {
    /// Too many changes wait already; try again after a moment.
    case busy
    /// The storage does not answer, is full or cannot be written. `reason` is for the log.
    case unavailable(reason: String)
    /// Whether the change was made is not known: the way to the storage broke, or its commit reached less than it should
    /// have. A repeat with the same idempotency key is made once in either case. `reason` is for the log.
    case unknownOutcome(reason: String)
    /// A row's checksum does not match its content. `what` is for the log.
    case damaged(what: String)
    /// The store is closing.
    case closed
}
