import HTTP1

extension API {
    func getLogLevel(_ call: Call) throws -> Answer { .now(answer(call, try logLevelControl())) }

    /// `{"level": "debug"}`: until it is changed again, or the configured one is read again (SIGHUP).
    func putLogLevel(_ call: Call) throws -> Answer {
        let name = try call.content().object().only("level").required("level")
        guard let level = LogLevel(rawValue: try name.string()) else {
            let known = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw name.fault(.invalidValue, "A level is one of \(known).")
        }
        let control = try logLevelControl()
        control.change(to: level)
        return .now(answer(call, control))
    }

    private func logLevelControl() throws -> any LogLevelControl {
        guard let logLevel else { throw Problem.notFound }
        return logLevel
    }

    private func answer(_ call: Call, _ control: any LogLevelControl) -> Response {
        var json = JSONWriter()
        json.object { $0.member("level", control.level.rawValue) }
        var response = Response.json(json.octets, cacheControl: "no-store")
        response.omitsContent = call.request.method == .head
        return response
    }
}
