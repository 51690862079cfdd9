import BelfryCore
import BelfryModel
import Synchronization

/// What a service counts, as Prometheus reads it. No subject is in a label.
final class Metrics: Sendable {
    private let state = Mutex<[String: Family]>([:])

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

    func countRequest(_ method: String, _ status: Int) {
        let known = ["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"]
        add(1, to: Self.requests, known.contains(method) ? method : "other", String(status))
    }

    /// Counts what was committed.
    func count(_ counts: [SignalCounts], decisions lines: [UInt8]) {
        add(1, to: Self.commits)
        for counts in counts {
            if counts.late > 0 { add(counts.late, to: Self.late) }
            if counts.timersFired > 0 { add(counts.timersFired, to: Self.timers) }
            for (type, count) in counts.decisions { add(count, to: Self.decisions, type) }
        }
        let kinds = Set(counts.flatMap(\.decisions.keys))
        if kinds.contains("strategy.faulted") { countFaults(lines) }
        if kinds.contains("notification.suppressed") { countSilenced(lines) }
    }

    private func countFaults(_ lines: [UInt8]) {
        forEachDecision(in: lines, "strategy.faulted") { data in
            add(1, to: Self.faults, data["strategy"]?.text ?? "", data["cause"]?.text ?? "")
        }
    }

    private func countSilenced(_ lines: [UInt8]) {
        guard lines.firstRange(of: Array(#""code":"silenced""#.utf8)) != nil else { return }
        forEachDecision(in: lines, "notification.suppressed") { data in
            let reasons = data["reasons"]?.list ?? []
            if reasons.contains(where: { $0.map?["code"]?.text == "silenced" }) { add(1, to: Self.silenced) }
        }
    }

    private func forEachDecision(in lines: [UInt8], _ type: String, _ body: (Fields) -> Void) {
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            guard let fields = Value(json: line)?.map, fields["type"]?.text == type else { continue }
            body(fields["data"]?.map ?? [:])
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
        return text
    }

    static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }
}
