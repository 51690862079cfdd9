import BelfryPlugin

/// Collects notifications and lets them ring together: one for many.
///
/// It remembers nothing: the host keeps what is open and its items, and asks the whole chain again at the close.
struct Digest: Strategy {
    static let name = "digest"
    static let summary = "Collects notifications and creates one that stands for all of them."
    static let defaultCounter = "campaign"

    private let parameters: Parameters
    /// Nil without any parameters.
    private let window: Window?

    init(_ parameters: Parameters, host: Host) throws(StrategyError) {
        try host.require(.digest, for: "collecting")
        if parameters.at != nil { try host.require(.localTime, for: "'at'") }
        window = parameters == Parameters() ? nil : try Window(parameters)
        self.parameters = parameters
    }

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        // At the close, the rest of the chain is asked again.
        guard let window, context.digestCount == nil else { return .abstain }
        guard let open = context.openDigest else { return opening(window, context) }
        let isFilled = parameters.items.map { open.count + 1 >= $0 } ?? false
        return collect(until: isFilled ? context.now : window.close(of: open, at: context.now), context)
    }

    private func opening(_ window: Window, _ context: Context) -> Verdict {
        let closes = window.close(from: context.now, in: context)
        guard parameters.leading else { return collect(until: closes, context) }
        context.leadDigest(until: closes)
        return .abstain
    }

    private func collect(until closes: Instant, _ context: Context) -> Verdict {
        context.keepItems(parameters.keep)
        return .collect("it waits for others of its kind", until: closes)
    }
}

extension Digest {
    struct Parameters: ParameterList, Equatable {
        var window: Duration?
        var sliding: Sliding?
        var at: String?
        var leading = false
        var items: Int?
        var keep = 100

        static var parameters: [Parameter<Self>] {
            [
                .optional(
                    "window", \.window, "how long after its first item a digest closes",
                    range: .atLeast(.milliseconds(1)), replaces: ["sliding", "at"]),
                .optional(
                    "sliding", \.sliding, "closes when nothing was added for so long", replaces: ["window", "at"]),
                .optional(
                    "at", \.at, "closes at that time of the subject's day, such as 09:00",
                    replaces: ["window", "sliding"]),
                .optional(
                    "leading", \.leading, "lets one pass while none is open; it opens the digest and is not in it"),
                .optional("items", \.items, "with so many items it closes at once", range: .atLeast(2)),
                .optional(
                    "keep", \.keep, "so many items are kept, the newest; all are counted", range: .within(1...1000)),
            ]
        }
    }

    struct Sliding: ParameterList, Equatable {
        var by = Duration.zero
        var atMost = Duration.zero

        static var parameters: [Parameter<Self>] {
            [
                .required("by", \.by, "how long after its last item", range: .atLeast(.milliseconds(1))),
                .required("atMost", \.atMost, "how long after its opening at most", range: .atLeast(.milliseconds(1))),
            ]
        }
    }
}
