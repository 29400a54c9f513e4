/// A catalog as JSON: functions with these ids in one section, each with its own further fields.
///
/// - Parameter fields: by id, what stands in the function besides `id` and `title`: `["p": "\"pin\": 0"]`.
/// - Parameter titles: by id, the whole title object where it is not the id in capitals.
func catalogText(
    _ ids: String = "a b c d e f g h i j k l m n o p P", _ fields: [String: String] = [:],
    titles: [String: String] = [:],
    defaults: String = "", limit: Int = 12, minimum: Int = 0
) -> String {
    let functions = ids.split(separator: " ").map(String.init).map { id in
        let title = titles[id] ?? #"{"en": "\#(id.uppercased())"}"#
        return #"{"id": "\#(id)", "title": \#(title)\#(fields[id].map { ", \($0)" } ?? "")}"#
    }
    return """
        {"policy": {"minimum": \(minimum), "limit": \(limit)}, "defaults": \(jsonList(defaults)),
         "sections": [{"id": "all", "title": {"en": "All", "de": "Alle"}, "functions": \(jsonList(ids))}],
         "functions": [\(functions.joined(separator: ", "))]}
        """
}

/// `a b` → `["a","b"]`
func jsonList(_ ids: String) -> String {
    "[" + ids.split(separator: " ").map { "\"\($0)\"" }.joined(separator: ",") + "]"
}

/// `[p a b c]` with p pinned at 0, and `[a b P c d]` with P pinned at 2: the cases of the reports.
let firstPinned = catalogText(["p": #""pin": 0"#])
let thirdPinned = catalogText(["P": #""pin": 2"#])

func catalogText(_ fields: [String: String], limit: Int = 12, minimum: Int = 0) -> String {
    catalogText("a b c d e f g h i j k l m n o p P", fields, limit: limit, minimum: minimum)
}

/// Above the size from which an answer is coded.
let largeCatalog = catalogText((1...60).map { "function-\($0)" }.joined(separator: " "))
