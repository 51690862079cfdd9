import BelfryCore
import BelfryDelivery
import BelfryRuntime

extension ServiceEngine {
    /// What another configuration has to pass. A plugin that is new is tried with what is stored, but not by a replica that stands by.
    var gate: ReloadGate {
        let none: RecentRecords = { _ in [] }
        return ReloadGate(workspace, source.isolation, records: (try? parts.store.recentRecords) ?? none)
    }

    /// A configuration was read that cannot be used.
    func didRefuseReload() { running.withLock { $0.lastReload.isInForce = false } }

    /// Has the next run decide by another configuration, unless a reload has come to its end meanwhile.
    ///
    /// - Parameter former: the generation that it was made of.
    /// - Returns: whether that was in force still.
    func replace(_ former: String, with workspace: Workspace, _ source: DecisionSource) -> Bool {
        running.withLock { running in
            guard running.workspace.fingerprint == former else { return false }
            (running.workspace, running.source) = (workspace, source)
            return true
        }
    }

    /// Has everything decided by another configuration; returns when it is.
    ///
    /// - Parameter isReload: whether it is what was read just now, and not only other silences.
    /// - Throws: a sink cannot be used.
    func take(_ workspace: Workspace, _ source: DecisionSource, isReload: Bool = true) async throws {
        let settings = try SinkSettings(of: workspace)
        // Where they cannot be used, nothing of it is in force.
        let former = readyParts
        // A sink that goes may be slow to end.
        try await onThread { try former?.sinks.take(settings) }
        running.withLock { running in
            (running.workspace, running.source, running.sinks) = (workspace, source, settings)
            if isReload { running.lastReload = LastReload() }
        }
        guard let parts = readyParts else { return }
        if parts.intake !== former?.intake { try await onThread { try parts.sinks.take(settings) } }
        let intake = parts.intake
        await withCheckedContinuation { continuation in
            intake.whenReloaded { continuation.resume() }
            events.post(isReload ? .reload(source) : .silence(source))
        }
    }

    private var readyParts: EngineParts? { running.withLock { $0.state == .ready ? $0.parts : nil } }
}
