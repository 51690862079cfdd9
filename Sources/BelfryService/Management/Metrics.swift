import BelfryCore
import BelfryModel
import Synchronization

/// What a service counts, as Prometheus reads it. No subject is in a label.
final class Metrics: Sendable {
    private let state = Mutex<[String: Family]>([:])
    private let ranges = Mutex<[String: Ranges]>([:])

    private struct Ranges {
        let family: Histogram.Family
        var samples: [[String]: Histogram] = [:]
    }

    private struct Family {
        let type: String
        let help: String
        var samples: [[String]: Double] = [:]
    }

    /// A family of counters, and the names of their labels.
    struct Counter {
        let name: String
        let help: String
        var labels: [String] = []
    }

    static let signals = Counter(
        name: "belfry_signals_total", help: "Signals, by type and what became of them.", labels: ["type", "result"])
    static let rejected = Counter(
        name: "belfry_signals_rejected_total", help: "Signals that were rejected, by code.", labels: ["code"])
    static let decisions = Counter(name: "belfry_decisions_total", help: "Decisions, by type.", labels: ["type"])
    static let faults = Counter(
        name: "belfry_faults_total", help: "Calls of plugins that failed, by chain entry and cause.",
        labels: ["entry", "cause"])
    static let silenced = Counter(name: "belfry_silenced_total", help: "Candidates that a silence swallowed.")
    static let late = Counter(
        name: "belfry_signals_late_total", help: "Signals that came after a later one of their subject.")
    static let timers = Counter(name: "belfry_timers_fired_total", help: "Timers that fired.")
    static let commits = Counter(name: "belfry_commits_total", help: "Batches that were made durable.")
    static let requests = Counter(
        name: "belfry_http_requests_total", help: "Requests, by method and status.", labels: ["method", "status"])
    static let limits = Counter(
        name: "belfry_limits_total", help: "How often callers came to a limit, by limit.", labels: ["limit"])
    static let reloads = Counter(
        name: "belfry_reloads_total", help: "Reloads of the configuration, by result.", labels: ["result"])
    static let recoveries = Counter(
        name: "belfry_engine_failures_total", help: "How often deciding had to stop and begin again.")

    static let exposures = Counter(
        name: "belfry_exposures_total", help: "Subjects that a variant had a bearing on.",
        labels: ["experiment", "variant"])

    /// From a quarter of a millisecond on: most answers take less than five.
    static let requestSeconds = Histogram.Family(
        name: "http_server_request_duration_seconds", help: "How long requests took, by method, route and status.",
        labels: ["http_request_method", "http_route", "http_response_status_code"],
        bounds: [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5])
    static let batchSignals = Histogram.Family(
        name: "belfry_batch_signals", help: "How many signals were made durable at once.",
        bounds: [1, 4, 16, 64, 256, 1024, 4096, 16384])

    private static let all = [
        signals, rejected, decisions, faults, silenced, late, timers, commits, requests, limits, reloads, recoveries,
    ]

    init() {
        // What has no label is there from the beginning.
        for counter in Self.all where counter.labels.isEmpty { add(0, to: counter) }
    }

    func add(_ count: Int, to counter: Counter, _ values: String...) {
        state.withLock { families in
            families[counter.name, default: Family(type: "counter", help: counter.help)]
                .samples[zip(counter.labels, values).map { "\($0)=\(Self.quoted($1))" }, default: 0] += Double(count)
        }
    }

    func add(_ value: Double, to family: Histogram.Family, _ values: String...) {
        let labels = zip(family.labels, values).map { "\($0)=\(Self.quoted($1))" }
        ranges.withLock {
            $0[family.name, default: Ranges(family: family)].samples[labels, default: Histogram(family.bounds)]
                .add(value)
        }
    }

    func countRequest(_ method: String, _ status: Int) {
        let known = ["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"]
        add(1, to: Self.requests, known.contains(method) ? method : "other", String(status))
    }

    /// Counts what was committed.
    func count(_ counts: [SignalCounts], decisions lines: [UInt8]) {
        add(1, to: Self.commits)
        add(Double(counts.reduce(0) { $0 + $1.processed + $1.duplicates }), to: Self.batchSignals)
        for counts in counts {
            if counts.late > 0 { add(counts.late, to: Self.late) }
            if counts.timersFired > 0 { add(counts.timersFired, to: Self.timers) }
            for (type, count) in counts.decisions { add(count, to: Self.decisions, type) }
            for (fault, count) in counts.faults { add(count, to: Self.faults, fault.entry, fault.cause.rawValue) }
            for swallowed in counts.silenced.values { add(swallowed.count, to: Self.silenced) }
        }
        if counts.contains(where: { $0.decisions["experiment.exposed"] != nil }) { countExposures(lines) }
    }

    private func countExposures(_ lines: [UInt8]) {
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            guard let fields = Value(json: line)?.map, fields["type"]?.text == "experiment.exposed" else { continue }
            let data = fields["data"]?.map ?? [:]
            add(1, to: Self.exposures, data["experiment"]?.text ?? "", data["variant"]?.text ?? "")
        }
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
        var families = state.withLock { $0 }
        for gauge in gauges {
            families[gauge.name, default: Family(type: gauge.type, help: gauge.help)].samples[gauge.labels] =
                gauge.value
        }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text += "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.type)\n"
            for (labels, value) in family.samples.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                text += name + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}") + " \(Self.number(value))\n"
            }
        }
        for (name, ranges) in ranges.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text += "# HELP \(name) \(ranges.family.help)\n# TYPE \(name) histogram\n"
            for (labels, histogram) in ranges.samples.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                text += histogram.text(name, labels)
            }
        }
        return text
    }

    static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }

    static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }
}
