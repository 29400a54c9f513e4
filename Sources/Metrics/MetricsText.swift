/// Writes metrics as Prometheus reads them: the text format, version 0.0.4.
package struct MetricsText: Sendable {
    package private(set) var octets: [UInt8] = []

    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    package typealias Labels = KeyValuePairs<StaticString, String>

    package enum Kind: String, Sendable { case counter, gauge, histogram }

    package init() {}

    package mutating func counter(_ name: StaticString, _ help: StaticString, _ value: Int) {
        family(name, .counter, help) { $0.sample([:], value) }
    }

    package mutating func gauge(_ name: StaticString, _ help: StaticString, _ value: Int) {
        family(name, .gauge, help) { $0.sample([:], value) }
    }

    /// A counter for each value of one label.
    package mutating func counter(
        _ name: StaticString, _ help: StaticString, by label: StaticString, _ values: [(label: String, count: Int)]
    ) {
        family(name, .counter, help) { family in
            for (value, count) in values { family.sample([label: value], count) }
        }
    }

    /// One histogram, which may be empty.
    package mutating func histogram(_ name: StaticString, _ help: StaticString, _ table: HistogramTable) {
        family(name, .histogram, help) { family in
            let none = HistogramTotal(counts: Array(repeating: 0, count: table.buckets.bounds.count + 1), sum: 0)
            family.histogram([:], table.total() ?? none, table.buckets)
        }
    }

    /// All samples of one metric stand together, below what it is.
    package mutating func family(
        _ name: StaticString, _ kind: Kind, _ help: StaticString, _ samples: (inout Family) -> Void
    ) {
        var family = Family(name: name, text: "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
        samples(&family)
        octets.append(contentsOf: family.text.utf8)
    }
}

/// The samples of one metric.
extension MetricsText {
    package struct Family {
        fileprivate let name: StaticString
        fileprivate var text: String

        package mutating func sample(_ labels: Labels, _ value: Int) { line("", labels, nil, String(value)) }

        package mutating func sample(_ labels: Labels, _ value: Double) { line("", labels, nil, value.asSample) }

        package mutating func histogram(_ labels: Labels, _ total: HistogramTotal, _ buckets: Buckets) {
            var count = 0
            for (bound, inBucket) in zip(buckets.bounds, total.counts) {
                count += inBucket
                line("_bucket", labels, (Double(bound) / buckets.scale).asSample, String(count))
            }
            count += total.counts[buckets.bounds.count]
            line("_bucket", labels, "+Inf", String(count))
            line("_sum", labels, nil, (Double(total.sum) / buckets.scale).asSample)
            line("_count", labels, nil, String(count))
        }

        private mutating func line(_ suffix: String, _ labels: Labels, _ bound: String?, _ value: String) {
            var pairs = labels.map { "\($0)=\"\($1.escapedForLabel)\"" }
            if let bound { pairs.append("le=\"\(bound)\"") }
            text += "\(name)\(suffix)\(pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") \(value)\n"
        }
    }
}

/// Something that has numbers to tell.
package protocol MetricsSource: Sendable {
    func write(to text: inout MetricsText)
}

extension Double {
    /// Whole numbers as other programs write them: `10`, which is also how rules name a bucket.
    fileprivate var asSample: String {
        let text = description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension String {
    fileprivate var escapedForLabel: String {
        guard contains(where: { $0 == "\\" || $0 == "\"" || $0.isNewline }) else { return self }
        return reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case let other where other.isNewline: text += "\\n"
            default: text.append(character)
            }
        }
    }
}
