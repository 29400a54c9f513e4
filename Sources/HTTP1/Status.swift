/// A status code and its reason phrase (RFC 9110 §15).
package struct Status: Sendable, Equatable, Hashable {
    package let code: Int
    package let reason: StaticString

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
    package func hash(into hasher: inout Hasher) { hasher.combine(code) }

    package static let `continue` = Self(code: 100, reason: "Continue")
    package static let ok = Self(code: 200, reason: "OK")
    package static let created = Self(code: 201, reason: "Created")
    package static let noContent = Self(code: 204, reason: "No Content")
    package static let notModified = Self(code: 304, reason: "Not Modified")
    package static let badRequest = Self(code: 400, reason: "Bad Request")
    package static let unauthorized = Self(code: 401, reason: "Unauthorized")
    package static let forbidden = Self(code: 403, reason: "Forbidden")
    package static let notFound = Self(code: 404, reason: "Not Found")
    package static let methodNotAllowed = Self(code: 405, reason: "Method Not Allowed")
    package static let notAcceptable = Self(code: 406, reason: "Not Acceptable")
    package static let requestTimeout = Self(code: 408, reason: "Request Timeout")
    package static let conflict = Self(code: 409, reason: "Conflict")
    package static let gone = Self(code: 410, reason: "Gone")
    package static let preconditionFailed = Self(code: 412, reason: "Precondition Failed")
    package static let contentTooLarge = Self(code: 413, reason: "Content Too Large")
    package static let uriTooLong = Self(code: 414, reason: "URI Too Long")
    package static let unsupportedMediaType = Self(code: 415, reason: "Unsupported Media Type")
    package static let expectationFailed = Self(code: 417, reason: "Expectation Failed")
    package static let unprocessableContent = Self(code: 422, reason: "Unprocessable Content")
    package static let preconditionRequired = Self(code: 428, reason: "Precondition Required")
    package static let tooManyRequests = Self(code: 429, reason: "Too Many Requests")
    package static let fieldsTooLarge = Self(code: 431, reason: "Request Header Fields Too Large")
    package static let internalServerError = Self(code: 500, reason: "Internal Server Error")
    package static let notImplemented = Self(code: 501, reason: "Not Implemented")
    package static let serviceUnavailable = Self(code: 503, reason: "Service Unavailable")
    package static let versionNotSupported = Self(code: 505, reason: "HTTP Version Not Supported")

    /// Every one of them.
    package static let all: [Self] = [
        .continue, .ok, .created, .noContent, .notModified, .badRequest, .unauthorized, .forbidden, .notFound,
        .methodNotAllowed, .notAcceptable, .requestTimeout, .conflict, .gone, .preconditionFailed, .contentTooLarge,
        .uriTooLong, .unsupportedMediaType, .expectationFailed, .unprocessableContent, .preconditionRequired,
        .tooManyRequests, .fieldsTooLarge, .internalServerError, .notImplemented, .serviceUnavailable,
        .versionNotSupported,
    ]
}
