import BelfryPlugin

/// Collects what comes within ten minutes.
struct Gathering: Strategy {
    static let name = "gathering"
    static let summary = "Collects what comes within ten minutes."
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        // At the close: the rest of the chain is asked again.
        guard context.digestCount == nil else { return .abstain }
        let opened = context.openDigest?.opened ?? context.now
        return .collect("it waits for others", until: opened + .minutes(10))
    }
}
