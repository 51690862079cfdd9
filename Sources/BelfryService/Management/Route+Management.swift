import BelfryDelivery
import BelfryModel
import BelfryPluginHost
import HTTPTypes
import Hummingbird

/// Health, metrics, and what operators do.
struct ManagementRoutes: Sendable {
    let engine: ServiceEngine
    let metrics: Metrics
    let streams: Streams
    let connections: Connections
    let startedAt: Instant
    let reload: @Sendable () async throws -> Value

    var routes: [Route] {
        [
            Route(.get, "/livez", nil) { _ in Response(bytes: Array("alive\n".utf8), type: "text/plain; charset=utf-8")
            },
            Route(.get, "/readyz", nil) { call in
                Readiness(engine: engine).response(isVerbose: call.query["verbose"] != nil)
            },
            Route(.get, "/metrics", nil) { _ in
                Response(bytes: Array(metrics.text(gauges).utf8), type: "text/plain; version=0.0.4; charset=utf-8")
            },
            Route(.post, "/-/reload", .operate) { _ in Response(json: try await reload()) },
            Route(.get, "/admin/v1/status", .operate) { _ in Response(json: status) },
        ]
    }

    private var gauges: [Metrics.Gauge] {
        let depth = (try? engine.intake.depth) ?? (0, 0)
        let state = Readiness(engine: engine).state
        let isReady = state == .ready || state == .degraded
        var gauges = ProcessFigures.gauges
        func add(_ name: String, _ help: String, _ value: Double, labels: [String] = [], type: String = "gauge") {
            gauges.append(Metrics.Gauge(name, help, value, labels: labels, type: type))
        }
        add("belfry_queue_signals", "Signals that wait to be decided or committed.", Double(depth.0))
        add("belfry_queue_bytes", "Bytes of signals that wait.", Double(depth.1))
        add("belfry_streams", "Streams and long polls that are open.", Double(streams.count))
        add("belfry_http_connections", "Connections of the API that are open.", Double(connections.count))
        if let journal = try? engine.journal {
            add("belfry_journal_entries_total", "Entries of the journal.", Double(journal.last), type: "counter")
            add("belfry_journal_decisions_total", "Decisions in it.", Double(journal.decisions), type: "counter")
        }
        for sink in (try? engine.sinks.statuses) ?? [] {
            let labels = ["sink=\(Metrics.quoted(sink.id))"]
            add(
                "belfry_sink_delivered_total", "Decisions that a sink has taken.", Double(sink.delivered),
                labels: labels,
                type: "counter")
            add(
                "belfry_sink_failed_attempts_total", "Attempts that did not get through.", Double(sink.failedAttempts),
                labels: labels, type: "counter")
            add(
                "belfry_sink_dropped_total", "Decisions that were given up.", Double(sink.dropped), labels: labels,
                type: "counter")
            add("belfry_sink_waiting", "Decisions that wait for a sink.", Double(sink.waiting), labels: labels)
            add("belfry_sink_ready", "Whether a sink gets what comes.", sink.state == .ready ? 1 : 0, labels: labels)
        }
        add("belfry_ready", "Whether the service takes signals.", isReady ? 1 : 0)
        add("belfry_build_info", "The version.", 1, labels: ["version=\(Metrics.quoted(belfryVersion))"])
        let start = Double(startedAt.milliseconds) / 1000
        add("process_start_time_seconds", "When the process began, since 1970.", start)
        return gauges
    }

    /// State, queue, journal and sinks at a glance.
    var status: Value {
        let readiness = Readiness(engine: engine)
        let checks = readiness.checks.map { check -> Value in
            ["name": .text(check.name), "ok": .bool(check.isRight), "detail": .text(check.detail)]
        }
        var fields = Fields([("version", .text(belfryVersion)), ("state", .text(readiness.state.rawValue))])
        fields["startedAt"] = .text("\(startedAt)")
        fields["generation"] = .text(engine.workspace.fingerprint)
        fields["checks"] = .list(checks)
        let depth = (try? engine.intake.depth) ?? (0, 0)
        fields["queue"] = ["signals": .integer(Int64(depth.0)), "bytes": .integer(Int64(depth.1))]
        if let journal = try? engine.journal {
            fields["journal"] = [
                "entries": .integer(Int64(journal.last)), "decisions": .integer(Int64(journal.decisions)),
            ]
        }
        fields["streams"] = .integer(Int64(streams.count))
        fields["sinks"] = .list(((try? engine.sinks.statuses) ?? []).map(\.value))
        return .map(fields)
    }
}
