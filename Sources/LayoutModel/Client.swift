/// Who is looking: the user, and the app that asks for them. What is hidden and what an index means follow from it.
package struct Client: Sendable {
    package let user: UserID
    /// `ios`, `android` …; nil where the client does not say.
    package var platform: String?
    package var appVersion: AppVersion?

    package init(user: UserID, platform: String? = nil, appVersion: AppVersion? = nil) {
        self.user = user
        self.platform = platform
        self.appVersion = appVersion
    }
}
