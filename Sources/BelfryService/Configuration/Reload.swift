import BelfryConfiguration
import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryRuntime
import HTTPTypes

/// Brings another configuration into force while signals are decided.
struct Reload: Sendable {
    let engine: ServiceEngine
    let metrics: Metrics

    /// Reads the configuration and its plugins as they are now; when they are right, everything is decided by them from here on.
    ///
    /// - Returns: the generation, and which settings want a restart.
    /// - Throws: a problem with all that is wrong; then the former one stays.
    func run() async throws -> Value { try await engine.changes.run { try await now() } }

    /// The same for what has its turn among the engine's `changes`.
    func now() async throws -> Value {
        do {
            let (workspace, source) = try await onThreadUnlessCancelled(read)
            try await engine.take(workspace, source)
            await engine.shareSilences()
            metrics.add(1, to: Metrics.reloads, "done")
            var answer: Fields = ["generation": .text(workspace.fingerprint)]
            let waiting = workspace.configuration.settings(otherThan: engine.atStart)
            if !waiting.isEmpty { answer["restart"] = .list(waiting.map { .text($0) }) }
            return .map(answer)
        } catch is CancellationError {
            throw Problem.draining
        } catch {
            refuse()
            throw Self.problem(error)
        }
    }

    /// Notes that one was refused.
    func refuse() {
        engine.didRefuseReload()
        metrics.add(1, to: Metrics.reloads, "refused")
    }

    @Sendable private func read() throws -> (Workspace, DecisionSource) {
        let former = engine.workspace
        let workspace = try former.workspace(at: former.document.path)
        return (workspace, try engine.gate.pass(workspace))
    }

    static func problem(_ error: any Error) -> Problem {
        var problem = Problem(
            .unprocessableContent, "invalid-configuration", "the configuration cannot be used; the former one stays",
            found: "\(error)", fix: "correct it, and reload again")
        problem.errors =
            (error as? ConfigurationFailure)?.value.list
            ?? "\(error)".split(separator: "\n\n").map { ["found": .text(String($0))] }
        return problem
    }
}

extension Configuration {
    /// Settings that a service takes when it starts, and keeps.
    fileprivate func settings(otherThan former: Configuration) -> [String] {
        let (now, before) = (service, former.service)
        let changes = [
            ("store", store != former.store), ("isolation", isolation != former.isolation),
            ("serve.listen", now.listen != before.listen), ("serve.manage", now.manage != before.manage),
            ("serve.advertise", now.advertise != before.advertise), ("serve.tokens", now.tokens != before.tokens),
            ("serve.jwt", now.jwt != before.jwt), ("serve.tls", now.tls != before.tls),
            ("serve.keep", now.keep != before.keep), ("serve.atMost", now.atMost != before.atMost),
            ("serve.limits", now.limits != before.limits),
        ]
        return changes.filter(\.1).map(\.0)
    }
}
