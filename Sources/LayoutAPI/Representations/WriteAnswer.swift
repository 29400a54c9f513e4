import HTTP1
import LayoutApplication
import LayoutModel

/// The answer to a write: as it goes out now, and as it is kept for a repeat of the request.
struct WriteAnswer {
    let record: RecordedAnswer

    /// - Parameter resource: the favorite that the request's target is, for PUT: where it was not there, it was created.
    init(_ result: ChangeResult, putting resource: FunctionID?, validateOnly: Bool) {
        let created = resource.map { !result.previous.contains($0) && result.view.layout.contains($0) } ?? false
        var json = JSONWriter()
        json.change(result, validateOnly: validateOnly)
        record = RecordedAnswer(
            status: created ? 201 : 200, entityTag: result.view.tag.text, content: json.octets)
    }

    init(_ record: RecordedAnswer) { self.record = record }

    var response: Response {
        .json(record.content, status: record.status == 201 ? .created : .ok, tag: record.entityTag)
    }

    /// The first answer again, byte for byte.
    var replay: Response {
        var response = response
        response.fields.append(name: "Idempotency-Replayed", value: "true")
        return response
    }
}
