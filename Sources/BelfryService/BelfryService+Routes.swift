import Hummingbird

extension BelfryService {
    var signals: SignalRoutes { SignalRoutes(engine: engine, metrics: metrics, limits: limits) }

    var apiRoutes: [Route] {
        signals.routes
            + DecisionRoutes(engine: engine, streams: streams).routes
            + PageRoutes.routes + SubjectRoutes(engine: engine, limits: limits).routes
            + SinkRoutes(engine: engine).routes + ShadowRoutes(engine: engine).routes
            + [Route(.get, "/v1/status", .read) { [management] _ in Response(json: management.status) }]
            + FlagRoutes(engine: engine, limits: limits).routes
            + ConfigurationRoutes(engine: engine, reload: Reload(engine: engine, metrics: metrics), limits: limits)
            .routes
            + SilenceRoutes(engine: engine, limits: limits, startedAt: startedAt).routes
    }

    var management: ManagementRoutes {
        ManagementRoutes(
            engine: engine, metrics: metrics, streams: streams, connections: connections, startedAt: startedAt,
            reload: reload)
    }
}
