import Foundation

/// The last answers to GETs by what was asked, for `If-None-Match`. The least recently used go first.
struct ResponseCache {
    private var entries: [Key: Entry] = [:]
    private var clock = 0
    private var octets = 0
    private let mostEntries: Int
    private let mostOctets: Int

    struct Key: Hashable {
        var url: URL
        var language: String?
    }

    private struct Entry {
        var response: TransportResponse
        var tag: String
        var used: Int
    }

    init(mostEntries: Int = 32, mostOctets: Int = 2 * 1_024 * 1_024) {
        self.mostEntries = mostEntries
        self.mostOctets = mostOctets
    }

    func tag(for key: Key) -> String? { entries[key]?.tag }

    /// The kept answer, if it is still the one with this tag.
    mutating func response(for key: Key, tag: String) -> TransportResponse? {
        guard let entry = entries[key], entry.tag == tag else { return nil }
        clock += 1
        entries[key]?.used = clock
        return entry.response
    }

    mutating func keep(_ response: TransportResponse, for key: Key) {
        guard let tag = response["ETag"] else { return }
        remove(key)
        guard response.body.count <= mostOctets else { return }
        clock += 1
        entries[key] = Entry(response: response, tag: tag, used: clock)
        octets += response.body.count
        while entries.count > mostEntries || octets > mostOctets,
            let oldest = entries.min(by: { $0.value.used < $1.value.used })?.key
        { remove(oldest) }
    }

    mutating func removeAll() {
        entries = [:]
        octets = 0
    }

    private mutating func remove(_ key: Key) {
        if let old = entries.removeValue(forKey: key) { octets -= old.response.body.count }
    }
}
