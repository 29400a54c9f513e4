import HTTP1
import LayoutApplication
import LayoutModel

extension Problem {
    /// The answer, `application/problem+json`.
    ///
    /// - Parameter instance: the path of the request, where it is known.
    func response(instance: String?) -> Response {
        var fields = Fields()
        fields.append(name: "Content-Type", value: "application/problem+json")
        fields.append(name: "Cache-Control", value: "no-store")
        // The one kind of answer that repeats what a request said: where a browser shows it, it loads and runs nothing.
        fields.append(name: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'")
        for field in self.fields { fields.append(name: field.name, value: field.value) }
        if let current { fields.append(name: "ETag", value: "\"\(current.tag.text)\"") }
        var json = JSONWriter()
        write(to: &json, instance: instance)
        return Response(status, fields: fields, content: .bytes(json.octets))
    }

    private func write(to json: inout JSONWriter, instance: String?) {
        json.object { json in
            json.member("type", "/docs#\(code.rawValue)")
            json.member("title", code.title)
            json.member("status", status.code)
            json.member("detail", detail)
            if let instance { json.member("instance", instance) }
            json.member("code", code.rawValue)
            if !params.isEmpty { writeParams(to: &json) }
            if let operationIndex { json.member("operationIndex", operationIndex) }
            if let pointer { json.member("pointer", pointer) }
            if !faults.isEmpty { writeFaults(to: &json) }
            if let current {
                json.member("currentVersion", current.stored.version)
                json.name("current")
                json.layout(current)
            }
        }
    }

    private func writeParams(to json: inout JSONWriter) {
        json.name("params")
        json.object { json in json.parameters(params) }
    }

    private func writeFaults(to json: inout JSONWriter) {
        json.name("faults")
        json.array(faults) { json, fault in
            json.object { json in
                json.member("pointer", fault.pointer)
                json.member("code", fault.code.rawValue)
                json.member("detail", fault.detail)
            }
        }
    }
}

extension JSONWriter {
    mutating func parameters(_ parameters: [Problem.Parameter]) {
        for parameter in parameters {
            switch parameter.value {
            case .text(let text): member(parameter.name, text)
            case .number(let number): member(parameter.name, number)
            case .numbers(let numbers):
                name(parameter.name)
                array(numbers) { $0.integer($1) }
            }
        }
    }
}
