/// For which clients a function is there. Outside it the function is hidden, for that client alone.
package struct Availability: Equatable, Sendable {
    /// The platforms that have it; nil for all.
    package var platforms: [String]?
    /// By platform, the first and the last app version that has it.
    package var minimumVersion: [String: AppVersion] = [:]
    package var maximumVersion: [String: AppVersion] = [:]
    /// Percent of the users, 0–100.
    package var rollout = 100

    package static let everyone = Self()

    var isEveryone: Bool {
        rollout == 100 && platforms == nil && minimumVersion.isEmpty && maximumVersion.isEmpty
    }

    /// What a client does not say about itself does not hide anything: an administrator with curl sees the whole list.
    package func includes(_ client: Client, of function: FunctionID) -> Bool {
        if isEveryone { return true }
        if let platform = client.platform {
            if let platforms, !platforms.contains(platform) { return false }
            if let version = client.appVersion {
                if let first = minimumVersion[platform], version < first { return false }
                if let last = maximumVersion[platform], last < version { return false }
            }
        }
        return rollout == 100 || Self.bucket(of: function, for: client.user) < rollout
    }

    /// The user's place, 0–99, in the roll-out of one function: the same on every server and for ever, and not tied to
    /// their place in any other roll-out.
    ///
    /// FNV-1a (64 bit) over the function's id, a zero byte and the user's id, then the finalizer of MurmurHash3, without
    /// which the last characters alone would decide.
    package static func bucket(of function: FunctionID, for user: UserID) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func take(_ octet: UInt8) { hash = (hash ^ UInt64(octet)) &* 0x100_0000_01b3 }
        function.text.utf8.forEach(take)
        take(0)
        user.text.utf8.forEach(take)
        hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
        hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
        return Int((hash ^ (hash >> 33)) % 100)
    }
}
