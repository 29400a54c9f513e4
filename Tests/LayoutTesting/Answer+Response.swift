package import HTTP1

extension Answer {
    /// What it comes to, without an event loop.
    package var response: Response {
        get async {
            switch self {
            case .now(let response): response
            case .later(let work): await work()
            case .promised(let begin):
                await withCheckedContinuation { waiter in begin(Reply { make in waiter.resume(returning: make()) }) }
            }
        }
    }
}
