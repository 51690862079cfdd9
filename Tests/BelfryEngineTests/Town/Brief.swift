import BelfryModel

extension [Decision] {
    var brief: [String] { map(\.brief) }
}

extension Decision {
    /// A line for a test to compare: `created sale/1`, `suppressed sale: a@10:05, belfry/slot-taken`.
    ///
    /// A reason is the entry's id, `/code` unless that is the strategy's own, `[counter]`, `@` and its `until`.
    var brief: String {
        switch body {
        case .created(let created): "created \(created.notification)" + observed(created.observed)
        case .suppressed(let refused):
            "suppressed \(refused.origin.campaign): \(refused.reasons.brief)" + observed(refused.observed)
                + until(refused.until)
        case .deferred(let refused):
            "deferred \(refused.origin.campaign): \(refused.reasons.brief)" + observed(refused.observed)
                + until(refused.until)
        case .deleted(let notification, _): "deleted \(notification)"
        case .kept(let notification, _, let reasons): "kept \(notification): \(reasons.brief)"
        case .opened(let notification, let button, let first):
            "opened \(notification)" + (button.map { " by \($0)" } ?? "") + ", first at \(first.clock)"
        case .fired(let fired):
            "fired \(fired.origin.campaign), \(fired.handled.map { $0 ? "handled" : "unhandled" } ?? "to be handled")"
                + observed(fired.observed)
        case .invoked(let invocation): "invoked \(invocation.type) \(invocation.action["value"]?.text ?? "-")"
        case .recorded(let type, let name, _): "recorded \(type) \(name)"
        case .collected(let collected):
            "collected \(collected.origin.campaign) by \(collected.strategy)"
                + (collected.counter.map { "[\($0)]" } ?? "") + ", \(collected.items) until \(collected.until.clock)"
        case .withheld(let withheld): "withheld \(withheld.origin.campaign): \(withheld.reasons.brief)"
        case .exposed(let experiment, let variant): "exposed \(experiment) \(variant)"
        case .faulted(let fault): "faulted \(fault.strategy): \(fault.message)"
        }
    }

    private func observed(_ denials: [Denial]) -> String { denials.isEmpty ? "" : " (observed \(denials.brief))" }
    private func until(_ instant: Instant?) -> String { instant.map { " until \($0.clock)" } ?? "" }

    /// Where a candidate came from: `sale/t1 in store`.
    var origin: String? {
        switch body {
        case .created(let created): created.origin.brief
        case .suppressed(let refused), .deferred(let refused): refused.origin.brief
        case .fired(let fired): fired.origin.brief
        default: nil
        }
    }

    var created: Created? { if case .created(let created) = body { created } else { nil } }
    var reasons: [Denial] {
        switch body {
        case .suppressed(let refused), .deferred(let refused): refused.reasons
        case .kept(_, _, let reasons): reasons
        default: []
        }
    }
    var attributes: Fields? { if case .recorded(_, _, let attributes) = body { attributes } else { nil } }
    var invocation: Invocation? { if case .invoked(let invocation) = body { invocation } else { nil } }
}

extension Decision.Origin {
    fileprivate var brief: String { campaign + (trigger.map { "/\($0)" } ?? "") + (region.map { " in \($0)" } ?? "") }
}

extension [Decision.Denial] {
    var brief: String { map(\.brief).joined(separator: ", ") }
}

extension Decision.Denial {
    fileprivate var brief: String {
        let code = ["scripted", "echo"].contains(code) ? "" : "/\(code)"
        return strategy + code + (counter.map { "[\($0)]" } ?? "") + (until.map { "@\($0.clock)" } ?? "")
    }
}
