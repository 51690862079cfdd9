/// What is counted. Names are as Prometheus' practices have it: a prefix, base units, `_total` for what only grows.
extension Metrics {
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

    static let candidates = Counter(
        name: "belfry_campaign_decisions_total",
        help: "What candidates came to, by campaign: of so many campaigns, then of all others.",
        labels: ["campaign", "type"])
    static let refusals = Counter(
        name: "belfry_refusals_total", help: "Reasons against candidates, by chain entry and code.",
        labels: ["entry", "code"])
    static let observed = Counter(
        name: "belfry_observed_total", help: "What would have been a reason, if its chain entry did not only observe.",
        labels: ["entry", "code"])
    static let ignored = Counter(
        name: "belfry_ignored_total", help: "What was taken and deliberately had no effect.", labels: ["what"])
    static let replays = Counter(
        name: "belfry_requests_replayed_total",
        help: "Requests whose Idempotency-Key was known: the first answer again.")

    /// From a quarter of a millisecond on: most answers take less than five.
    static let requestSeconds = Histogram.Family(
        name: "http_server_request_duration_seconds", help: "How long requests took, by method, route and status.",
        labels: ["http_request_method", "http_route", "http_response_status_code"],
        bounds: [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5])
    static let batchSignals = Histogram.Family(
        name: "belfry_batch_signals", help: "How many signals were made durable at once.",
        bounds: [1, 4, 16, 64, 256, 1024, 4096, 16384])
    static let batchSeconds = Histogram.Family(
        name: "belfry_batch_seconds", help: "How long batches took, by phase: to be decided, and to become durable.",
        labels: ["phase"], bounds: [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5])

    /// Those without a label are there from the beginning.
    static let unlabelled = [silenced, late, timers, commits, recoveries, replays]
}
