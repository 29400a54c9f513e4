/// Which client this is. What is hidden and what an index means follow from platform and app version; the device tells
/// the origin of a change.
public struct ClientIdentity: Hashable, Sendable, Codable {
    /// `ios`, `android` …
    public var platform: String
    /// Numbers with dots: `10.3.1`.
    public var appVersion: String
    /// An id that this installation keeps: two devices of one user must not share it.
    public var device: String

    public init(platform: String = "ios", appVersion: String, device: String) {
        self.platform = platform
        self.appVersion = appVersion
        self.device = device
    }

    /// The value of `Pegboard-Client`: `ios/10.3.1 (device id)`.
    public var header: String { "\(platform)/\(appVersion) (\(device))" }

    /// Whether a change with this origin was made by this device, by whatever version of the app.
    func made(_ origin: String) -> Bool { origin.contains("(\(device))") }
}
