import HTTP1

/// `Pegboard-Client: ios/10.3.1 (device id)`: how a client names itself, so that it can tell its own changes apart.
enum ClientName {
    private static let longest = 200

    /// Without what could not stand in a log or a header field; empty where the client does not say.
    static func of(_ request: Request) -> String {
        guard let name = request.fields.first("Pegboard-Client") else { return "" }
        return String(
            String.UnicodeScalarView(
                name.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(longest)))
    }
}
