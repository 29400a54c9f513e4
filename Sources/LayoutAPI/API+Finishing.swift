import HTTP1
import LayoutApplication

// What every answer goes through, once, before it leaves: it is counted, logged, and says which request it belongs to.

extension API {
    /// - Parameters:
    ///   - route: nil where none was found.
    ///   - spent: where the time went, as far as somebody noted it.
    ///   - incident: what went wrong here that is not the client's affair.
    func finish(
        _ response: inout Response, to request: Request, by route: Route?, from principal: Principal? = nil,
        spent: TimeSpent.Durations? = nil, incident: (any Error)? = nil
    ) {
        response.requestID = request.id
        let nanoseconds = settings.uptime().nanoseconds - request.received.nanoseconds
        metrics.answered(request.method, by: route, response.status, after: nanoseconds)
        let exchange = Exchange(request, route, response, after: nanoseconds, from: principal, incident: incident)
        settings.log?(exchange)
        settings.slowLog?.watch(&response, of: exchange, queued: request.queued, spent)
    }

    /// The answer to a request that did not work out.
    func failure(
        _ error: any Error, of request: Request, by route: Route?, from principal: Principal? = nil,
        spent: TimeSpent.Durations? = nil
    ) -> Response {
        let problem = Problem(error)
        metrics.met(problem, error)
        if error is StoreError { health.storage.doubt() }
        var response = problem.response(instance: request.target.pathAsItCame, requestID: request.id)
        response.omitsContent = request.method == .head
        finish(
            &response, to: request, by: route, from: principal, spent: spent, incident: problem.isIncident ? error : nil
        )
        return response
    }

    /// The answer to a message that could not be understood.
    func finished(_ problem: Problem, _ error: ProtocolError) -> Response {
        let id = RequestID(.random(in: 0 ... .max))
        var response = problem.response(instance: nil, requestID: id)
        response.requestID = id
        metrics.met(problem, error)
        metrics.answered(.other, by: nil, response.status, after: 0)
        settings.log?(Exchange(refused: response))
        return response
    }
}
