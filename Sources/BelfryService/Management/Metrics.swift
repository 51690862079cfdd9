import BelfryModel
import BelfryRuntime
import Synchronization

/// What a service counts, as Prometheus reads it. No subject is in a label.
final class Metrics: Sendable {
    private let state = Mutex<[String: Family]>([:])
    private let ranges = Mutex<[String: Ranges]>([:])
    private let latest = Mutex(Latest())
    /// The campaigns that have series of their own.
    private let campaigns = Mutex<Set<String>>([])
    private static let mostCampaigns = 200

    /// What the last batch said.
    struct Latest: Sendable {
        var records = 0
        /// Of a signal; nil before the first.
        var accepted: Instant?
    }

    private struct Ranges {
        let family: Histogram.Family
        var samples: [[String]: Histogram] = [:]
    }

    /// Samples are known by the values of their labels: what a scrape is told is written when one comes.
    private struct Family {
        let counter: Counter
        var samples: [[String]: Double] = [:]
    }

    /// A family of counters, and the names of their labels.
    struct Counter {
        let name: String
        let help: String
        var labels: [String] = []
    }

    init() {
        for counter in Self.unlabelled { add(0, to: counter) }
    }

    func add(_ count: Int, to counter: Counter, _ values: String...) {
        state.withLock { families in
            families[counter.name, default: Family(counter: counter)].samples[values, default: 0] += Double(count)
        }
    }

    func add(_ value: Double, to family: Histogram.Family, _ values: String...) {
        ranges.withLock {
            $0[family.name, default: Ranges(family: family)].samples[values, default: Histogram(family.bounds)]
                .add(value)
        }
    }

    /// What a campaign is called: there may be any number of them, and of reloads that bring others.
    func campaign(_ id: String) -> String {
        campaigns.withLock { campaigns in
            if campaigns.contains(id) { return id }
            guard campaigns.count < Self.mostCampaigns else { return "other" }
            campaigns.insert(id)
            return id
        }
    }

    func hold(_ note: CommitNote) {
        latest.withLock { latest in
            // A batch that was for some shards only says nothing of the others.
            if note.records > 0 { latest.records = note.records }
            if note.accepted > .distantPast { latest.accepted = note.accepted }
        }
    }

    var lastBatch: Latest { latest.withLock { $0 } }

    func countRequest(_ method: String, _ status: Int) {
        let known = ["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"]
        add(1, to: Self.requests, known.contains(method) ? method : "other", String(status))
    }

    /// A gauge, as it is now.
    struct Gauge {
        let name: String
        let help: String
        let value: Double
        var labels: [String] = []
        var type = "gauge"

        init(_ name: String, _ help: String, _ value: some BinaryInteger, type: String = "gauge") {
            (self.name, self.help, self.value, self.type) = (name, help, Double(value), type)
        }

        init(_ name: String, _ help: String, _ value: Double, labels: [String] = [], type: String = "gauge") {
            (self.name, self.help, self.value, self.labels, self.type) = (name, help, value, labels, type)
        }
    }

    /// All of it, in Prometheus' text format.
    func text(_ gauges: [Gauge]) -> String {
        var families: [String: Written] = [:]
        for gauge in gauges {
            families[gauge.name, default: Written(type: gauge.type, help: gauge.help)].add(gauge.labels, gauge.value)
        }
        for (name, family) in state.withLock({ $0 }) {
            var written = Written(type: "counter", help: family.counter.help)
            for (values, value) in family.samples { written.add(Self.labels(family.counter.labels, values), value) }
            families[name] = written
        }
        var text = families.sorted { $0.key < $1.key }.map { $0.value.text($0.key) }.joined()
        for (name, ranges) in ranges.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text += "# HELP \(name) \(ranges.family.help)\n# TYPE \(name) histogram\n"
            for (values, histogram) in ranges.samples.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                text += histogram.text(name, Self.labels(ranges.family.labels, values))
            }
        }
        return text
    }

    /// A family as a scrape is told of it.
    private struct Written {
        let type: String
        let help: String
        private var samples: [(labels: [String], value: Double)] = []

        init(type: String, help: String) { (self.type, self.help) = (type, help) }

        mutating func add(_ labels: [String], _ value: Double) { samples.append((labels, value)) }

        func text(_ name: String) -> String {
            samples.sorted { $0.labels.lexicographicallyPrecedes($1.labels) }.reduce(
                "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
            ) { text, sample in
                let labels = sample.labels.isEmpty ? "" : "{\(sample.labels.joined(separator: ","))}"
                return "\(text)\(name)\(labels) \(Metrics.number(sample.value))\n"
            }
        }
    }

    private static func labels(_ names: [String], _ values: [String]) -> [String] {
        zip(names, values).map { "\($0)=\(quoted($1))" }
    }

    static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }

    static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }
}
