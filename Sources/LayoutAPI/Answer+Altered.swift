import HTTP1

extension Answer {
    /// The same with each response altered on its way out.
    func altered(_ alter: @escaping @Sendable (Response) -> Response) -> Answer {
        switch self {
        case .now(let response): .now(alter(response))
        case .later(let work): .later { alter(await work()) }
        case .promised(let begin): .promised { reply in begin(Reply { make in reply.give { alter(make()) } }) }
        }
    }
}
