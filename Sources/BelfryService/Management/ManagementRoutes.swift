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
                // The journal may have to be read.
                let text = try await onThread { metrics.text(figures) }
                return Response(bytes: Array(text.utf8), type: "text/plain; version=0.0.4; charset=utf-8")
            },
            Route(.post, "/-/reload", .operate) { _ in Response(json: try await reload()) },
            Route(.get, "/admin/v1/status", .operate) { _ in Response(json: status) },
        ]
    }

    private var figures: [Metrics.Gauge] {
        ProcessFigures.gauges
            + ServiceFigures(
                engine: engine, metrics: metrics, streams: streams, connections: connections, startedAt: startedAt
            ).gauges
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
                "entries": .integer(Int64(journal.durable)), "decisions": .integer(Int64(journal.decisions)),
            ]
        }
        fields["streams"] = .integer(Int64(streams.count))
        fields["sinks"] = .list(((try? engine.sinks.statuses) ?? []).map(\.value))
        return .map(fields)
    }
}
