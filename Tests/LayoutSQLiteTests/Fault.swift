import LayoutApplication

/// A `StoreError` by its case; the words in it are for the log.
enum Fault: Equatable {
    case busy, unavailable, unknownOutcome, damaged, closed
}

/// The store's error that `body` ends with; nil for none, and for any other.
func fault<Result>(_ body: () async throws -> Result) async -> Fault? {
    do {
        _ = try await body()
        return nil
    } catch {
        return switch error as? StoreError {
        case .busy: .busy
        case .unavailable: .unavailable
        case .unknownOutcome: .unknownOutcome
        case .damaged: .damaged
        case .closed: .closed
        case nil: nil
        }
    }
}
