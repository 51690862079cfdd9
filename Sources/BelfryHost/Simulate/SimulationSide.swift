import BelfryEngine
import BelfryModel
import BelfryStore

/// One of the two configurations of a simulation, with what it decided, counted.
final class SimulationSide {
    let name: String
    let fingerprint: String
    let catalog: Catalog
    let lane: Lane
    private(set) var campaigns: [String: OutcomeCounts] = [:]
    /// By hour of the week, from Monday on.
    private(set) var hours = [OutcomeCounts](repeating: OutcomeCounts(), count: 7 * 24)
    private(set) var entries: [EntryFunnel]
    private(set) var host = NameCounts()
    private(set) var waits = WaitHistogram()
    /// What the engine warned of since this was last emptied.
    var warnings: [String] = []

    private let placeOfEntry: [String: Int]

    init(_ name: String, fingerprint: String, _ loaded: Workspace.Loaded) throws {
        self.name = name
        self.fingerprint = fingerprint
        catalog = loaded.catalog
        let chain = catalog.configuration.chain
        entries = chain.map(EntryFunnel.init)
        placeOfEntry = Dictionary(chain.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        let engine = Engine(catalog)
        lane = try Lane(engine, in: MemoryStore())
        engine.witness = { [unowned self] testimony in self.note(testimony) }
    }

    var counts: OutcomeCounts { campaigns.values.reduce(into: OutcomeCounts()) { $0 += $1 } }

    func counts(inGroup group: String) -> OutcomeCounts {
        catalog.configuration.campaigns.filter { $0.groups.contains(group) }
            .reduce(into: OutcomeCounts()) { $0 += campaigns[$1.id] ?? OutcomeCounts() }
    }

    private func note(_ testimony: Testimony) {
        for (entry, verdict) in testimony.verdicts { entries[entry].note(verdict, testimony.question) }
        guard testimony.question == .creation else { return }
        for (entry, why) in testimony.absences { entries[entry].noteAbsence(why) }
    }

    /// When it was where the subject is.
    struct LocalTime {
        let day: Int64
        /// From Monday on.
        let hourOfWeek: Int
    }

    /// Whether there is something to take.
    var hasNews: Bool {
        lane.effects.count > 0 || !lane.effects.warnings.isEmpty || !lane.effects.ignored.isEmpty
    }

    /// Takes what was decided since the last time, and counts it.
    func takeJudgements(line: Int?, _ body: (Judgement, LocalTime) -> Void) throws -> [Judgement] {
        var judgements: [Judgement] = []
        for decision in lane.effects.decisions {
            guard let judgement = Judgement(decision, line: line) else { continue }
            let time = try localTime(of: decision)
            count(judgement, time)
            body(judgement, time)
            judgements.append(judgement)
        }
        warnings += lane.effects.warnings
        lane.clearEffects()
        return judgements
    }

    private func localTime(of decision: Decision) throws -> LocalTime {
        let zone = catalog.zone(of: try lane.cache.record(of: decision.subject))
        let local = zone.localMilliseconds(at: decision.time)
        let (day, millisecond) = CivilDate.split(milliseconds: local)
        // 1970-01-01 was a Thursday.
        let weekday = ((day + 3) % 7 + 7) % 7
        return LocalTime(day: day, hourOfWeek: Int(weekday) * 24 + Int(millisecond / 3_600_000))
    }

    private func count(_ judgement: Judgement, _ time: LocalTime) {
        campaigns[judgement.origin.campaign, default: OutcomeCounts()][judgement.outcome] += 1
        hours[time.hourOfWeek][judgement.outcome] += 1
        if judgement.outcome.isCreation {
            for entry in Set(judgement.observed.map(\.strategy)) {
                placeOfEntry[entry].map { entries[$0].noteCreationAnyway() }
            }
        } else if judgement.outcome.isRefusal {
            countRefusal(judgement)
        }
    }

    private func countRefusal(_ judgement: Judgement) {
        let refusing = Set(judgement.reasons.map(\.strategy))
        for entry in refusing { placeOfEntry[entry].map { entries[$0].noteRefusal(isAlone: refusing.count == 1) } }
        for reason in judgement.reasons where placeOfEntry[reason.strategy] == nil { host.add(reason.code) }
        waits.add(judgement.until.map { $0 - judgement.decision.time })
    }
}

extension Lane {
    /// Goes on in a memory that does not last.
    convenience init(_ engine: Engine, in store: MemoryStore) throws {
        try self.init(
            engine, store: store,
            cache: RecordCache(store, isDurable: false, capacity: Runner.Options().cacheCapacity),
            watermark: .distantPast)
    }

    /// Lets time pass, however many timers are due.
    func pass(_ time: Instant) throws {
        _ = try advance(to: time) {
            try rest()
            return true
        }
    }

    /// Now and then: records that were not used for long make room.
    func rest() throws {
        cache.didCommit()
        try cache.makeRoom()
    }
}
