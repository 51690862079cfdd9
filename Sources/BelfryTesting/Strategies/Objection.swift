import BelfryPlugin

/// The rest of a chain, when it is against everything.
struct Objection: Strategy {
    static let name = "others"
    static let summary = "Denies every creation and deletion."

    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        .deny("the others are against it")
    }

    func shouldDelete(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        .deny("the others are against it")
    }
}
