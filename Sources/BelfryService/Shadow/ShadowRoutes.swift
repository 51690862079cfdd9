import BelfryRuntime
import HTTPTypes
import Hummingbird

/// `/v1/shadow`: what another configuration decides otherwise.
struct ShadowRoutes: Sendable {
    let engine: ServiceEngine

    var routes: [Route] { [Route(.get, "/v1/shadow", .read, show)] }

    private func show(_ call: Call) async throws -> Response {
        let limit = try call.limit(try call.query(only: ["limit"])["limit"], default: 100)
        guard let shadow = try engine.shadowed else {
            throw Problem(
                .notFound, "no-shadow", "no other configuration decides the same besides",
                fix: "start the service with 'belfry serve --shadow other.yaml'")
        }
        return Response(json: try shadow.report(last: limit).value)
    }
}
