import LayoutApplication
import LayoutModel

/// Why a write was not made, as the metrics tell it; nil for what is neither.
enum Stumble {
    /// The layout is another than the one that the write was decided on.
    case conflict
    /// A rule says no.
    case refusal

    init?(_ error: any Error) {
        switch error {
        case let refused as ChangeRefused:
            switch refused.reason {
            case .precondition(.required): return nil
            case .precondition: self = .conflict
            case .rejected: self = .refusal
            }
        case is Rejection: self = .refusal
        default: return nil
        }
    }
}
