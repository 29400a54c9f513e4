import HTTP1
import LayoutModel
package import Metrics

/// Holds users and peer addresses to their limits.
package final class RateLimiter: Sendable {
    /// A limit in force: its name, and what the fields say of it.
    private struct Policy: Sendable {
        let name: StaticString
        let buckets: BucketTable
        /// Its item in `RateLimit-Policy`.
        let text: String
        /// What its item in `RateLimit` begins with.
        let start: String

        init?(_ name: StaticString, _ limit: RateLimit?) {
            guard let limit else { return nil }
            self.name = name
            buckets = BucketTable(limit)
            text = "\"\(name)\";q=\(limit.burst);w=\(limit.fillTime.secondsRoundedUp)"
            start = "\"\(name)\";r="
        }
    }

    private let user: Policy?
    private let address: Policy?
    /// `RateLimit-Policy`, which is the same for every answer.
    private let policies: Fields
    private let refused = LabelledTally()

    /// - Returns: nil where nothing is limited.
    package init?(perUser: RateLimit?, perAddress: RateLimit?) {
        guard perUser != nil || perAddress != nil else { return nil }
        user = Policy("user", perUser)
        address = Policy("address", perAddress)
        var policies = Fields()
        policies.append(
            name: "RateLimit-Policy", value: [user, address].compactMap(\.?.text).joined(separator: ", "))
        self.policies = policies
    }

    /// What the limits said to one request.
    struct Tally {
        fileprivate var user: TokenBucket.Standing?
        fileprivate var address: TokenBucket.Standing?

        init() {}
    }

    /// To be asked before it is known who sends the request: whoever guesses tokens is slowed down, too. Peers on a Unix
    /// socket are a proxy's, and have no address.
    ///
    /// - Throws: 429 when the peer has no token left.
    func admit(peerOf request: Request, _ tally: inout Tally) throws {
        guard let address, let key = PeerKey(request.peer)?.hash else { return }
        tally.address = try take(key, from: address, request)
    }

    /// To be asked when it is known who sends the request: the token's user counts, or the path's where the token is
    /// nobody's own.
    ///
    /// - Throws: 429 when the user has no token left.
    func admit(
        _ principal: Principal, _ route: Route, _ parameters: PathParameters, _ request: Request,
        _ tally: inout Tally
    ) throws {
        guard let user else { return }
        let named = route.isOfOneUser ? request.target.octets[parameters[0]] : nil
        guard let name = principal.user?.text ?? named?.percentDecoded() else { return }
        tally.user = try take(name.octetHash, from: user, request)
    }

    private func take(_ key: UInt64, from policy: Policy, _ request: Request) throws -> TokenBucket.Standing {
        let standing = policy.buckets.take(key, at: request.received.nanoseconds)
        guard standing.isTaken else {
            refused.add(policy.name.description)
            var problem = Problem.rateLimited(standing)
            problem.params = [.init(name: "policy", value: .text(policy.name.description))]
            problem.fields.append(("RateLimit", text(of: policy, standing)))
            throw problem
        }
        return standing
    }
}

extension RateLimiter: MetricsSource {
    package func write(to text: inout MetricsText) {
        text.counter(
            "pegboard_rate_limited_total", "Requests answered 429, by the limit that they met.", by: "policy",
            refused.totals)
    }
}

// MARK: The fields

// draft-ietf-httpapi-ratelimit-headers-10: `RateLimit-Policy` says what is allowed, `q` in each window of `w` seconds;
// `RateLimit` what is left of it, and in how many seconds it is whole again.

extension RateLimiter {
    private func text(of policy: Policy, _ standing: TokenBucket.Standing) -> String {
        // Piece by piece: interpolation takes twice as long, and this is done for every request.
        var text = policy.start
        text += String(standing.remaining)
        text += ";t="
        text += String(standing.untilFull.secondsRoundedUp)
        return text
    }

    /// The answer with what is left of each limit.
    func stamp(_ answer: Answer, _ tally: Tally) -> Answer { answer.altered { [self] in stamp($0, tally) } }

    private func stamp(_ response: Response, _ tally: Tally) -> Response {
        var response = response
        let isRefusal = response.status == .tooManyRequests
        guard isRefusal || tally.user != nil || tally.address != nil else { return response }
        response.fields.append(contentsOf: policies)
        // A refusal says already what is left: nothing.
        guard !isRefusal else { return response }
        var value = ""
        if let user, let standing = tally.user { value = text(of: user, standing) }
        if let address, let standing = tally.address {
            if !value.isEmpty { value += ", " }
            value += text(of: address, standing)
        }
        response.fields.append(name: "RateLimit", value: value)
        return response
    }
}

extension Problem {
    fileprivate static func rateLimited(_ standing: TokenBucket.Standing) -> Problem {
        let seconds = max(1, standing.untilNext.secondsRoundedUp)
        var problem = Problem(
            .rateLimited,
            "More requests came than the limit allows. Repeat after \(seconds == 1 ? "a second" : "\(seconds) seconds")."
        )
        problem.fields = [("Retry-After", "\(seconds)")]
        return problem
    }
}

extension Route {
    /// Whether its path begins with a user.
    fileprivate var isOfOneUser: Bool { path.text.hasPrefix("/v1/users/{user}") }
}

extension String {
    /// Of its octets, under a secret of the process.
    var octetHash: UInt64 {
        var hasher = Hasher()
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

extension Int64 {
    /// Of nanoseconds.
    fileprivate var secondsRoundedUp: Int64 { (self + 999_999_999) / 1_000_000_000 }
}
