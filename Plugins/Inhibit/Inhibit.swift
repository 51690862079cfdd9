import BelfryPlugin

/// Nothing while a certain other notification is current: while the subject knows of the outage, its symptoms need not ring.
///
/// It remembers nothing: the host says what is current. Like does not mute like, so the outage itself may ring again.
struct Inhibit: Strategy {
    static let name = "inhibit"
    static let summary = "Denies a notification while a certain other one of the subject is current."

    private let parameters: Parameters

    init(_ parameters: Parameters, host: Host) throws(StrategyError) {
        try host.require(.current, for: "what is current")
        if parameters.by.source.isEmpty {
            throw StrategyError("'by' is an empty condition, which everything meets; say what mutes")
        }
        try Self.check(parameters.by.source.properties, of: "by")
        try Self.check(parameters.equal, of: "equal")
        self.parameters = parameters
    }

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        let own = context.candidateAsCurrent
        if own.meets(parameters.by) { return .allow }
        let muting = context.current.first { $0.meets(parameters.by) && isEqual($0, own) }
        guard let muting else { return .allow }
        return .deny("'\(muting.value(at: "notification")?.text ?? "")' is current and mutes it")
    }

    /// What both lack is the same.
    private func isEqual(_ one: CurrentNotification, _ other: CurrentNotification) -> Bool {
        parameters.equal.allSatisfy { (one.value(at: $0) ?? .null).isSame(as: other.value(at: $0) ?? .null) }
    }

    /// A property that no notification has is a slip: it is missing in all of them.
    private static func check(_ paths: [String], of parameter: String) throws(StrategyError) {
        let roots = ["campaign", "tags", "data", "createdAt"]
        var slips: [String] = []
        for path in paths {
            let root = path.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
            if roots.contains(root) { continue }
            let meant = nearestMatch(to: root, among: roots).map { " (did you mean '\($0)'?)" } ?? ""
            let slip = "'\(path)'\(meant)"
            if !slips.contains(slip) { slips.append(slip) }
        }
        guard !slips.isEmpty else { return }
        throw StrategyError(
            "\(parameter): \(slips.joined(separator: " and ")) \(slips.count == 1 ? "is" : "are") nothing that is known "
                + "of a current notification; there are \(roots.joined(separator: ", "))")
    }
}

extension Inhibit {
    struct Parameters: ParameterList {
        var by = Condition()
        var equal: [String] = []

        static var parameters: [Parameter<Self>] {
            [
                .required(
                    "by", \.by,
                    "a condition on a current notification: campaign (its id), tags, data (of its signal), createdAt"),
                .optional(
                    "equal", \.equal, "what has to be the same in both, such as data.incident; what both lack is"),
            ]
        }
    }
}
