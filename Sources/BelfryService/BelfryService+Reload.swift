import BelfryModel
import BelfryRuntime
import UnixSignals

extension BelfryService {
    /// SIGHUP asks for that.
    func reloadOnHangup() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup) {
            let former = engine.workspace
            do {
                let waiting = try await reload().map?["restart"]?.list?.compactMap(\.text) ?? []
                let note = waiting.isEmpty ? "" : "; after a restart also \(waiting.joined(separator: ", "))"
                // There may be nothing but new tokens, or a new certificate.
                let change = ConfigurationChange(from: former, to: engine.workspace)
                options.say("reloaded" + (change.isEmpty ? "" : ": \(change)") + note)
            } catch {
                // The service ends.
                if Task.isCancelled { return }
                let found = (error as? Problem)?.found
                options.say("\(found ?? "\(error)")\nthe former configuration stays in force")
            }
        }
    }

    /// Has tokens, certificate and configuration read anew, in that order; each is in force when it can be used.
    @Sendable func reload() async throws -> Value {
        let next = Reload(engine: engine, metrics: metrics)
        do {
            try takeSecrets()
        } catch {
            next.refuse()
            throw error
        }
        return try await next.run()
    }

    private func takeSecrets() throws {
        if !options.files.areForAnybody {
            let callers: Guardian.Callers
            do { callers = try options.files.callers } catch { throw Reload.problem(error) }
            if let path = options.files.empty(callers) {
                throw Problem(
                    .unprocessableContent, "invalid-configuration", "the tokens cannot be used; the former ones stay",
                    found: "there is no token in '\(path)', so every call would be refused",
                    fix: "belfry tokens new NAME --role admin, and reload again")
            }
            guardians.api.take(callers)
            guardians.management.take(callers)
        }
        do { try tls?.renew() } catch { throw Reload.problem(error) }
    }
}
