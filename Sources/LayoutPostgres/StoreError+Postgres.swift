import LayoutApplication

extension StoreError {
    /// For whoever waits, when it is not tried again.
    init(_ setback: Setback) {
        self =
            switch setback.meaning {
            case .conflict: .busy
            case .unknown: .unknownOutcome(reason: setback.description)
            case .elsewhere, .canceled, .values, .refusal: .unavailable(reason: setback.description)
            }
    }
}
