import BelfryDelivery
import BelfryModel
import HTTPTypes
import Hummingbird

/// `/v1/sinks`: how they are doing, and what an operator does with them.
struct SinkRoutes: Sendable {
    let engine: ServiceEngine

    var routes: [Route] {
        [
            Route(.get, "/v1/sinks", .read) { _ in
                Response(json: ["sinks": .list(try engine.sinks.statuses.map(\.value))])
            },
            Route(.get, "/v1/sinks/*", .read, show),
            Route(.post, "/v1/sinks/*/*", .operate, act),
        ]
    }

    private func show(_ call: Call) async throws -> Response {
        let id = call.parameters[0]
        guard let sink = try engine.sinks.statuses.first(where: { $0.id == id }) else { throw Self.unknown(id) }
        var fields = sink.value.map ?? [:]
        let journal = try engine.journal
        let letters = try await onThread { try deadLetters(of: id, in: journal) }
        fields["dead"] = .list(letters.map { .map($0) })
        return Response(json: .map(fields))
    }

    private func act(_ call: Call) async throws -> Response {
        let (id, name) = (call.parameters[0], call.parameters[1])
        guard let action = SinkAction(rawValue: name) else {
            throw Problem(
                .notFound, "unknown-action", "nobody can do that with a sink", found: name,
                expected: SinkAction.allCases.map(\.rawValue).joined(separator: ", "))
        }
        do {
            let sinks = try engine.sinks
            // It waits for the journal and, with 'resend', reads and writes all dead letters.
            guard let count = try await onThread({ try sinks.act(action, on: id) }) else { throw Self.unknown(id) }
            return Response(json: ["sink": .text(id), "action": .text(name), "decisions": .integer(Int64(count))])
        } catch let refusal as SinkRefusal {
            throw Problem(
                .conflict, "never-given-up", refusal.what, found: name, expected: refusal.why, fix: refusal.fix)
        }
    }

    private static func unknown(_ id: String) -> Problem {
        Problem(.notFound, "unknown-sink", "there is no such sink", found: id, fix: "GET /v1/sinks lists them")
    }
}
