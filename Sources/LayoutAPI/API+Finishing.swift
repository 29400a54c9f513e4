import HTTP1
import LayoutApplication

// What every answer goes through, once, before it leaves: it is counted, logged, and says which request it belongs to.

extension API {
    /// - Parameters:
    ///   - route: nil where none was found.
    ///   - spent: where the time went, as far as somebody noted it.
    ///   - incident: what went wrong here that is not the client's affair.
    func finished(
        _ response: Response, to request: Request, by route: Route?, from principal: Principal? = nil,
        spent: TimeSpent.Durations? = nil, incident: (any Error)? = nil
    ) -> Response {
        var response = response
        response.requestID = request.id
        let duration = request.received.duration(to: .now)
        metrics.answered(request, by: route, response.status, after: duration)
        let exchange = Exchange(request, route, response, after: duration, from: principal, incident: incident)
        settings.log?(exchange)
        settings.slowLog?.watch(&response, of: exchange, queued: .nanoseconds(request.queued), spent)
        return response
    }

    /// The answer to a request that did not work out.
    func failure(
        _ error: any Error, of request: Request, by route: Route?, from principal: Principal? = nil,
        spent: TimeSpent.Durations? = nil
    ) -> Response {
        let problem = Problem(error)
        metrics.met(problem, error)
        var response = problem.response(instance: request.target.pathAsItCame, requestID: request.id)
        response.omitsContent = request.method == .head
        return finished(
            response, to: request, by: route, from: principal, spent: spent,
            incident: problem.isIncident ? error : nil)
    }

    /// The answer to a message that could not be understood.
    func finished(_ problem: Problem, _ error: ProtocolError) -> Response {
        let id = RequestID(.random(in: 0 ... .max))
        var response = problem.response(instance: nil, requestID: id)
        response.requestID = id
        metrics.met(problem, error)
        metrics.answered(nil, by: nil, response.status, after: .zero)
        settings.log?(Exchange(refused: response))
        return response
    }
}
