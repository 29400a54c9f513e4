import HTTP1

extension API {
    func getConsole(_ call: Call) throws -> Answer { try file("console.html", call) }

    func getDocs(_ call: Call) throws -> Answer { try file("docs.html", call) }

    func getConsoleFile(_ call: Call) throws -> Answer { try file(call.fileName(), call) }

    private func file(_ name: String, _ call: Call) throws -> Answer {
        guard let file = WebFile.all[name] else { throw Problem.notFound }
        return .now(try file.response(to: call.request, tags: tags))
    }
}
