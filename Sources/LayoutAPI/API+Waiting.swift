import HTTP1
import LayoutApplication
import Metrics

// Answers that come later.

extension API {
    /// Work that has to wait, as a task.
    ///
    /// - Parameter spent: where it notes how long what took.
    func later(
        _ call: Call, _ spent: TimeSpent? = nil, _ work: @escaping @Sendable () async throws -> Response
    ) -> Answer {
        .later { [self] in
            metrics.underWay.add(1)
            do {
                return finished(.success(try await work()), call, spent)
            } catch {
                return finished(.failure(error), call, spent)
            }
        }
    }

    /// Work that the store finishes, without a task.
    ///
    /// - Parameters:
    ///   - spent: where it notes how long what took.
    ///   - begin: hands it on, with what has to be called once, from any thread, with what came of it.
    ///   - respond: words that, on the request's event loop.
    func promised<Outcome: Sendable>(
        _ call: Call, _ spent: TimeSpent,
        _ begin: @escaping @Sendable (_ settle: @escaping @Sendable (Result<Outcome, any Error>) -> Void) -> Void,
        respond: @escaping @Sendable (Outcome) throws -> Response
    ) -> Answer {
        let promise = Promise(api: self, call: call, spent: spent, respond: respond)
        return .promised { reply in
            promise.api.metrics.underWay.add(1)
            begin { outcome in reply.give { promise.response(to: outcome) } }
        }
    }

    fileprivate func finished(_ outcome: Result<Response, any Error>, _ call: Call, _ spent: TimeSpent?) -> Response {
        defer { metrics.underWay.add(-1) }
        switch outcome {
        case .success(var response):
            finish(&response, to: call.request, by: call.route, from: call.principal, spent: spent?.soFar)
            return response
        case .failure(let error):
            return failure(error, of: call.request, by: call.route, from: call.principal, spent: spent?.soFar)
        }
    }
}

/// A request that is answered when its outcome is there. An object: a call's parts are many, and three closures have it.
private final class Promise<Outcome: Sendable>: Sendable {
    let api: API
    private let call: Call
    private let spent: TimeSpent
    private let respond: @Sendable (Outcome) throws -> Response

    init(api: API, call: Call, spent: TimeSpent, respond: @escaping @Sendable (Outcome) throws -> Response) {
        self.api = api
        self.call = call
        self.spent = spent
        self.respond = respond
    }

    func response(to outcome: Result<Outcome, any Error>) -> Response {
        api.finished(Result { try respond(outcome.get()) }, call, spent)
    }
}
