import HTTP1
import LayoutApplication
import LayoutModel

extension API {
    /// See `LayoutStatistics` for what is counted.
    func getStatistics(_ call: Call) -> Answer {
        later(call) { [self] in
            let statistics = try await layouts.statistics.current()
            let representation = Representation(
                tag: "\(statistics.computedAt).\(statistics.catalogRevision)", cacheControl: "private, no-cache")
            return try representation.response(to: call.request, tags: tags) {
                var json = JSONWriter(reserving: 64 * 1_024)
                json.statistics(statistics)
                return json.octets
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func statistics(_ statistics: LayoutStatistics) {
        let users = statistics.users
        let days = statistics.dayStarts.map { String(rfc3339($0).prefix(10)) }
        object { json in
            json.name("computedAt")
            json.timestamp(statistics.computedAt)
            json.member("catalogRevision", statistics.catalogRevision)
            json.member("users", users)
            json.member("customized", statistics.customized)
            json.share("customizedShare", statistics.customized, of: users)
            json.member("locked", statistics.locked)
            json.name("functions")
            json.array(statistics.functions) { json, function in
                json.object { json in
                    json.member("id", function.id.text)
                    json.member("favorites", function.favorites)
                    json.share("share", function.favorites, of: users)
                    json.name("meanSlot")
                    if let slot = function.meanSlot { json.decimal(slot) } else { json.null() }
                    json.name("medianSlot")
                    if let slot = function.medianSlot { json.integer(slot) } else { json.null() }
                    json.name("slots")
                    json.array(function.slots) { $0.integer($1) }
                    json.days("added", days, function.added)
                    json.days("removed", days, function.removed)
                }
            }
        }
    }

    private mutating func share(_ name: StaticString, _ part: Int, of whole: Int) {
        self.name(name)
        decimal(whole > 0 ? Double(part) / Double(whole) : 0)
    }

    private mutating func days(_ name: StaticString, _ days: [String], _ counts: [Int]) {
        self.name(name)
        array(zip(days, counts)) { json, entry in
            json.object { json in
                json.member("day", entry.0)
                json.member("count", entry.1)
            }
        }
    }
}
