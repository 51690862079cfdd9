import BelfryPlugin

/// Once in each region.
struct Visits: Strategy {
    struct State: SelfSavingState {
        static let version = 2
        var regions: Set<String> = []

        mutating func load(from reader: StateReader) {
            regions = Set(reader.text("regions")?.split(separator: "/").map(String.init) ?? [])
        }
        func save(to writer: StateWriter) {
            writer.set("regions", regions.isEmpty ? nil : regions.sorted().joined(separator: "/"))
        }

        /// Version 1 kept one region only.
        mutating func load(from reader: StateReader, version: Int, now: Instant) throws(StrategyError) {
            regions = Set([reader.text("region")].compactMap(\.self))
        }
    }

    static let name = "visits"
    static let summary = "Once in each region."
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        guard let region = candidate.region, state.regions.contains(region) else { return .allow }
        return .deny("there was one in \(region)")
    }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if created, let region = candidate.region { state.regions.insert(region) }
    }
}
