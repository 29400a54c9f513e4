import HTTP1

extension Problem {
    /// The table of problems: every word that a client can meet as `code`, with its status and its title.
    ///
    /// Codes are promises: none is ever renamed. What each means and what cures it stands in the API document
    /// (`problems.json`); a test holds the two to each other.
    enum Code: String, CaseIterable, Sendable {
        // The message.
        case malformedRequest = "malformed_request"
        case requestTimeout = "request_timeout"
        case contentTooLarge = "content_too_large"
        case uriTooLong = "uri_too_long"
        case expectationFailed = "expectation_failed"
        case fieldsTooLarge = "fields_too_large"
        case notImplemented = "not_implemented"
        case versionNotSupported = "version_not_supported"

        // Who asks, and for what.
        case unauthorized
        case invalidToken = "invalid_token"
        case forbidden
        case insufficientScope = "insufficient_scope"
        case rateLimited = "rate_limited"
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case notAcceptable = "not_acceptable"
        case unsupportedMediaType = "unsupported_media_type"
        case invalidUser = "invalid_user"
        case invalidFunction = "invalid_function"
        case invalidParameter = "invalid_parameter"
        case revisionGone = "revision_gone"

        // Fields of the request's head.
        case malformedValidator = "malformed_validator"
        case malformedIdempotencyKey = "malformed_idempotency_key"
        case malformedEventID = "malformed_event_id"
        case weakValidator = "weak_validator"
        case preconditionFailed = "precondition_failed"
        case preconditionRequired = "precondition_required"
        case idempotencyKeyReused = "idempotency_key_reused"

        // The content, wrong in any state.
        case invalidJSON = "invalid_json"
        case duplicateField = "duplicate_field"
        case unknownField = "unknown_field"
        case missingField = "missing_field"
        case invalidValue = "invalid_value"
        case invalidAt = "invalid_at"
        case invalidIndex = "invalid_index"
        case anchorIsSelf = "anchor_is_self"
        case tooManyOperations = "too_many_operations"
        case lineTooLong = "line_too_long"

        // The rules: understood, and forbidden.
        case unknownFunction = "unknown_function"
        case functionUnavailable = "function_unavailable"
        case itemNotMovable = "item_not_movable"
        case itemNotRemovable = "item_not_removable"
        case slotPinned = "slot_pinned"
        case sectionFixed = "section_fixed"
        case duplicateItem = "duplicate_item"
        case pinnedItemMissing = "pinned_item_missing"
        case requiredItemMissing = "required_item_missing"
        case favoritesLimit = "favorites_limit"
        case favoritesMinimum = "favorites_minimum"
        case invalidCatalog = "invalid_catalog"

        // The state as it is.
        case indexOutOfRange = "index_out_of_range"
        case notAFavorite = "not_a_favorite"
        case anchorAbsent = "anchor_absent"
        case layoutLocked = "layout_locked"
        case baseExpired = "base_expired"
        case noCatalog = "no_catalog"
        case backupExists = "backup_exists"
        case backupUnderWay = "backup_under_way"

        // The server.
        case backupNotConfigured = "backup_not_configured"
        case busy
        case draining
        case unavailable
        case storageUnavailable = "storage_unavailable"
        case unknownOutcome = "unknown_outcome"
        case damagedRecord = "damaged_record"
        case internalError = "internal_error"

        /// What it can be answered with: more than one only where one word fits a step and a whole list alike.
        var statuses: [Status] { row.statuses }

        /// What happened, for people.
        var title: String { row.title }

        private var row: (statuses: [Status], title: String) {
            switch self {
            case .malformedRequest: ([.badRequest], "Malformed request")
            case .requestTimeout: ([.requestTimeout], "Request timeout")
            case .contentTooLarge: ([.contentTooLarge], "Content too large")
            case .uriTooLong: ([.uriTooLong], "URI too long")
            case .expectationFailed: ([.expectationFailed], "Expectation failed")
            case .fieldsTooLarge: ([.fieldsTooLarge], "Header fields too large")
            case .notImplemented: ([.notImplemented], "Not implemented")
            case .versionNotSupported: ([.versionNotSupported], "HTTP version not supported")

            case .unauthorized: ([.unauthorized], "Authentication required")
            case .invalidToken: ([.unauthorized], "Invalid token")
            case .forbidden: ([.forbidden], "Forbidden")
            case .insufficientScope: ([.forbidden], "Insufficient scope")
            case .rateLimited: ([.tooManyRequests], "Too many requests")
            case .notFound: ([.notFound], "Not found")
            case .methodNotAllowed: ([.methodNotAllowed], "Method not allowed")
            case .notAcceptable: ([.notAcceptable], "Not acceptable")
            case .unsupportedMediaType: ([.unsupportedMediaType], "Unsupported media type")
            case .invalidUser: ([.badRequest], "Invalid user")
            case .invalidFunction: ([.badRequest], "Invalid function id")
            case .invalidParameter: ([.badRequest], "Invalid parameter")
            case .revisionGone: ([.gone], "Revision gone")

            case .malformedValidator: ([.badRequest], "Malformed validator")
            case .malformedIdempotencyKey: ([.badRequest], "Malformed idempotency key")
            case .malformedEventID: ([.badRequest], "Malformed event id")
            case .weakValidator: ([.preconditionFailed], "Weak validator")
            case .preconditionFailed: ([.preconditionFailed], "Precondition failed")
            case .preconditionRequired: ([.preconditionRequired], "Precondition required")
            case .idempotencyKeyReused: ([.unprocessableContent], "Idempotency key reused")

            case .invalidJSON: ([.badRequest], "Invalid JSON")
            case .duplicateField: ([.badRequest], "Duplicate field")
            case .unknownField: ([.badRequest], "Unknown field")
            case .missingField: ([.badRequest], "Missing field")
            case .invalidValue: ([.badRequest], "Invalid value")
            case .invalidAt: ([.badRequest], "Invalid place")
            case .invalidIndex: ([.badRequest], "Invalid index")
            case .anchorIsSelf: ([.badRequest], "Anchor is the item")
            case .tooManyOperations: ([.badRequest], "Too many operations")
            case .lineTooLong: ([.badRequest], "Line too long")

            case .unknownFunction: ([.unprocessableContent], "Unknown function")
            case .functionUnavailable: ([.unprocessableContent], "Function unavailable")
            case .itemNotMovable: ([.unprocessableContent], "Item not movable")
            case .itemNotRemovable: ([.unprocessableContent], "Item not removable")
            case .slotPinned: ([.unprocessableContent], "Slot pinned")
            case .sectionFixed: ([.unprocessableContent], "Section fixed")
            case .duplicateItem: ([.unprocessableContent], "Duplicate item")
            case .pinnedItemMissing: ([.unprocessableContent], "Pinned item missing")
            case .requiredItemMissing: ([.unprocessableContent], "Required item missing")
            case .favoritesLimit: ([.conflict, .unprocessableContent], "Favorites limit")
            case .favoritesMinimum: ([.conflict, .unprocessableContent], "Favorites minimum")
            case .invalidCatalog: ([.unprocessableContent], "Invalid catalog")

            case .indexOutOfRange: ([.conflict], "Index out of range")
            case .notAFavorite: ([.conflict], "Not a favorite")
            case .anchorAbsent: ([.conflict], "Anchor absent")
            case .layoutLocked: ([.conflict], "Layout locked")
            case .baseExpired: ([.conflict], "Base version expired")
            case .noCatalog: ([.conflict], "No catalog")
            case .backupExists: ([.conflict], "Backup exists")
            case .backupUnderWay: ([.conflict], "Backup under way")

            case .backupNotConfigured: ([.serviceUnavailable], "Backup not configured")
            case .busy: ([.serviceUnavailable], "Busy")
            case .draining: ([.serviceUnavailable], "Shutting down")
            case .unavailable: ([.serviceUnavailable], "Service unavailable")
            case .storageUnavailable: ([.serviceUnavailable], "Storage unavailable")
            case .unknownOutcome: ([.serviceUnavailable], "Unknown outcome")
            case .damagedRecord: ([.internalServerError], "Damaged record")
            case .internalError: ([.internalServerError], "Internal error")
            }
        }
    }
}
