import BelfryCore
import BelfryEngine
import BelfryModel
import BelfrySignals

/// One of the two configurations of a simulation, with what it decided, counted.
final class SimulationSide {
    let name: String
    let fingerprint: String
    let catalog: Catalog
    let subjects: SubjectSet
    var signals = SignalCounts()
    private(set) var hasNews = false
    /// The largest time of what it accepted. Like a run, it ends with a tick then.
    private(set) var accepted = Instant.distantPast
    private(set) var campaigns: [String: OutcomeCounts] = [:]
    /// By hour of the week, from Monday on.
    private(set) var hours = [OutcomeCounts](repeating: OutcomeCounts(), count: 7 * 24)
    private(set) var entries: [EntryFunnel]
    private(set) var host = NameCounts()
    private(set) var waits = WaitHistogram()
    /// What the engine warned of since this was last emptied.
    var warnings: [String] = []

    private let placeOfEntry: [String: Int]
    /// Is told of whom, and of which signal, something is about to be decided.
    var willDecide: ((_ subject: String, _ signal: String) throws -> Void)?

    init(_ name: String, fingerprint: String, _ loaded: Workspace.Loaded) {
        self.name = name
        self.fingerprint = fingerprint
        catalog = loaded.catalog
        let chain = catalog.configuration.chain
        entries = chain.map(EntryFunnel.init)
        placeOfEntry = Dictionary(chain.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        subjects = SubjectSet(Engine(catalog))
        subjects.engine.observer = { [unowned self] in note($0) }
    }

    var counts: OutcomeCounts { campaigns.values.reduce(into: OutcomeCounts()) { $0 += $1 } }

    func counts(inGroup group: String) -> OutcomeCounts {
        catalog.configuration.campaigns.filter { $0.groups.contains(group) }
            .reduce(into: OutcomeCounts()) { $0 += campaigns[$1.id] ?? OutcomeCounts() }
    }

    private func note(_ evaluation: ChainEvaluation) {
        for (entry, verdict) in evaluation.verdicts { entries[entry].note(verdict, evaluation.question) }
        guard evaluation.question == .creation else { return }
        for (entry, why) in evaluation.skips { entries[entry].noteSkip(why) }
    }

    enum Answer: Equatable {
        case accepted, duplicate
        case rejected(SignalReject)

        var reject: SignalReject? { if case .rejected(let reject) = self { reject } else { nil } }
    }

    func decide(_ signal: Signal) throws -> Answer {
        try willDecide?(signal.subject, signal.cause)
        do {
            let progress = try subjects.decide(signal)
            if progress.isDuplicate {
                signals.duplicates += 1
                return .duplicate
            }
            signals.add(progress)
            didAccept(signal.time)
            noteEffects()
            return .accepted
        } catch let reject as SignalReject {
            return .rejected(reject)
        }
    }

    func didAccept(_ time: Instant) { accepted = max(accepted, time) }

    func fire(_ timer: TimerQueue.Timer) throws {
        try willDecide?(timer.subject.text, "a timer")
        signals.timersFired += try subjects.fire(timer)
        noteEffects()
    }

    private func noteEffects() {
        hasNews = true
        signals.count(subjects.effects)
    }

    /// When it was where the subject is.
    struct LocalTime {
        let day: Int64
        /// From Monday on.
        let hourOfWeek: Int
    }

    /// Takes what was decided since the last time, and counts it.
    func takeJudgements(line: Int?, _ body: (Judgement, LocalTime) -> Void) throws -> [Judgement] {
        hasNews = false
        warnings += subjects.effects.warnings
        return try subjects.effects.decisions.compactMap { decision in
            guard let judgement = Judgement(decision, line: line) else { return nil }
            let time = try localTime(of: decision)
            count(judgement, time)
            body(judgement, time)
            return judgement
        }
    }

    /// A subject's time.
    func latest(of subject: String) throws -> Instant { try subjects.withRecord(of: subject) { $0.latest } }

    private func localTime(of decision: Decision) throws -> LocalTime {
        let zone = try subjects.withRecord(of: decision.subject) { catalog.zone(of: $0) }
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
