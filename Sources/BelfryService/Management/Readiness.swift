import BelfryDelivery
import HTTPTypes
import Hummingbird

/// Whether the next decision would be right, computed for each call.
struct Readiness: Sendable {
    enum State: String {
        case starting, ready, degraded, draining, failing
    }

    let engine: ServiceEngine

    struct Check {
        let name: String
        let isRight: Bool
        let detail: String
    }

    var state: State {
        switch engine.state {
        case .starting: .starting
        case .ready where !engine.isOpen: .starting
        case .ready where !engine.isHeld: .failing
        case .ready: isFull || !engine.quarantined.isEmpty || !brokenSinks.isEmpty ? .degraded : .ready
        // What is sent here is decided there.
        case .standby: engine.isOpen && engine.decider != nil ? .ready : .starting
        case .failing: .failing
        case .draining, .ended: .draining
        }
    }

    private var isFull: Bool { (try? engine.intake.isFull) ?? false }

    private var brokenSinks: [SinkStatus] {
        ((try? engine.sinks.statuses) ?? []).filter { $0.state == .broken || $0.state == .stopped }
    }

    var checks: [Check] { engine.state == .standby ? checksOfStandby : checksOfDecider }

    private var checksOfStandby: [Check] {
        let decider = engine.decider
        let detail =
            decider.map { "standby: passes on to \($0), which decides" }
            ?? "standby: \(engine.obstacleToDecider ?? "no replica is known that decides")"
        return [Check(name: "engine", isRight: decider != nil, detail: detail), listener]
    }

    private var listener: Check {
        Check(name: "listener", isRight: engine.isOpen, detail: engine.isOpen ? "open" : "not open yet")
    }

    private var checksOfDecider: [Check] {
        let depth = (try? engine.intake.depth) ?? (0, 0)
        return [
            Check(
                name: "engine", isRight: engine.state == .ready && engine.isHeld,
                detail: engine.why
                    ?? (engine.isHeld ? engine.state.rawValue : "the lease of the store is lost, or a connection to it")
            ),
            listener,
            Check(name: "journal", isRight: (try? engine.journal) != nil, detail: journal),
            Check(name: "queue", isRight: !isFull, detail: "\(depth.0) signals"),
        ]
            + engine.quarantined.map {
                Check(name: "entry \($0)", isRight: false, detail: "quarantined, after too many faults")
            }
            + brokenSinks.map { Check(name: "sink \($0.id)", isRight: false, detail: "\($0.state): \($0.why ?? "")") }
    }

    private var journal: String { (try? engine.journal).map { "entry \($0.durable)" } ?? "it is not open" }

    /// A line for the state; with more, one for each check besides.
    func response(isVerbose: Bool) -> Response {
        let state = state
        var text = state.rawValue + "\n"
        if isVerbose {
            for check in checks { text += "[\(check.isRight ? "+" : "-")] \(check.name): \(check.detail)\n" }
        }
        let isRight = state == .ready || state == .degraded
        return Response(
            Reply(
                bytes: Array(text.utf8), status: isRight ? .ok : .serviceUnavailable, type: "text/plain; charset=utf-8")
        )
    }
}
