import BelfryModel
import CBelfry

/// Asks the strategies about one candidate, combines their verdicts, and tells them the outcome (docs/chain.md).
///
/// The same code decides, explains, simulates and is tested: it reads the record, and only `tell` lets strategies write to it.
struct Chain {
    let catalog: Catalog
    let scope: CallScope
    let record: SubjectRecord
    let candidate: Candidate
    /// Told of entries that are not asked, and why. Nil where nobody wants to know.
    var listener: ((EntryPlan, GroupPlan?, Absence) -> Void)?

    /// Why an entry is not asked about a candidate.
    enum Absence {
        /// `enabled: false`.
        case disabled
        /// `off` in the cascade.
        case off
        /// It needs parameters and has none here.
        case unparameterized
        /// The candidate has nothing of the kind that it counts by.
        case uncounted
        /// Its `when` does not hold.
        case unwanted
        /// A filter, of a landing page.
        case landingPage
        /// A filter, after something was denied.
        case denied
        /// A `sufficient` entry before it allowed.
        case allowed
    }

    /// An entry that was asked under one counter, and what it said.
    struct Answer {
        let entry: EntryPlan
        let instance: Instance
        let counter: String?
        var verdict: Verdict
        /// Where its state is in the record. Nil for what is not told: a filter, or a strategy that could not be asked.
        let slot: Int?
        /// What the operator is to know of how it answered.
        var warnings: [String] = []
    }

    /// Asks every entry that applies, in order. An allow of a `sufficient` one ends the asking.
    func ask(_ question: Question) -> [Answer] {
        var answers: [Answer] = []
        answers.reserveCapacity(catalog.chain.count)
        for entry in catalog.chain {
            let before = answers.count
            forEachApplication(of: entry) { instance, counter in
                let answer = self.answer(of: entry, instance, counter, question, after: answers)
                if let answer { answers.append(answer) }
            }
            guard entry.entry.control == .sufficient, allow(answers[before...]) else { continue }
            for later in catalog.chain where later.index > entry.index { listener?(later, nil, .allowed) }
            break
        }
        return answers
    }

    enum Question {
        case creation, deletion
    }

    /// An entry that counts per group allows if it does for every group.
    private func allow(_ answers: ArraySlice<Answer>) -> Bool {
        !answers.isEmpty && answers.allSatisfy { $0.verdict == .allow }
    }

    /// With which instances and under which counters an entry applies to the candidate: none if it is off, has no
    /// parameters here, its `when` does not hold, or the candidate lacks what it counts by.
    func forEachApplication(of entry: EntryPlan, _ body: (Instance, _ counter: String?) -> Void) {
        guard entry.entry.enabled else {
            listener?(entry, nil, .disabled)
            return
        }
        let variants = candidate.trigger.entries[entry.index].variants
        if variants.isEmpty { listener?(entry, nil, .uncounted) }
        var isWanted: Bool?
        for variant in variants {
            guard case .instance(let instance) = variant.resolution(in: candidate.region) else {
                listener?(entry, variant.group, variant.resolution(in: candidate.region).absence)
                continue
            }
            guard let counter = counter(of: entry, in: variant.group) else {
                listener?(entry, variant.group, .uncounted)
                continue
            }
            isWanted = isWanted ?? wanted(entry)
            if isWanted == true { body(instance, counter.key) } else { listener?(entry, variant.group, .unwanted) }
        }
    }

    private func wanted(_ entry: EntryPlan) -> Bool {
        guard let condition = entry.entry.when else { return true }
        return condition.holds(
            for: CandidateProperties(candidate: candidate, segment: scope.segment, hasBareAttributes: false))
    }

    /// Nil if the candidate has nothing of the kind; a nil key is the subject's own counter.
    private func counter(of entry: EntryPlan, in group: GroupPlan?) -> (key: String?, Void)? {
        let key: String?
        switch entry.counter {
        case .subject: return (nil, ())
        case .channel: key = candidate.channel
        case .campaign: key = candidate.campaign.campaign.id
        case .trigger: key = candidate.trigger.trigger.map { "\(candidate.campaign.campaign.id)/\($0.id)" }
        case .region: key = candidate.region?.region.id
        case .group: key = group?.group.id
        case .data(let path): key = candidate.data(at: path.split(separator: ".").map(String.init)[...])?.counterKey
        }
        return key.map { ($0, ()) }
    }

    private func answer(
        of entry: EntryPlan, _ instance: Instance, _ counter: String?, _ question: Question, after answers: [Answer]
    ) -> Answer? {
        switch (entry.provider.kind, question) {
        case (.strategy(let table), _):
            return answer(of: entry, table, instance, counter, question)
        case (.filter, .deletion): return nil
        case (.filter(let filter), .creation):
            let isLandingPage = candidate.content.handler == Configuration.Handler.landingPage.rawValue
            guard !isLandingPage, !answers.contains(where: \.isCountingDenial) else {
                listener?(entry, nil, isLandingPage ? .landingPage : .denied)
                return nil
            }
            return apply(filter, instance, counter, of: entry)
        }
    }

    private func answer(
        of entry: EntryPlan, _ table: UnsafePointer<belfry_strategy>, _ instance: Instance, _ counter: String?,
        _ question: Question
    ) -> Answer {
        let slot: Int
        do {
            slot = try record.liveSlot(of: entry, table, counter: counter, scope)
        } catch {
            return Answer(entry: entry, instance: instance, counter: counter, verdict: .fault(error.message), slot: nil)
        }
        let check = question == .creation ? table.pointee.should_create : table.pointee.should_delete
        let verdict = check?(
            instance.pointer, record.slots[slot].memory, scope.cCandidate(counter: counter), scope.cContext,
            scope.reason.begin())
        return Answer(
            entry: entry, instance: instance, counter: counter, verdict: scope.verdict(verdict ?? BELFRY_ABSTAIN),
            slot: slot)
    }

    /// Tells every entry that was asked what came of it.
    func tell(_ answers: [Answer], _ question: Question, happened: Bool) {
        for answer in answers {
            guard let slot = answer.slot, let table = answer.entry.strategy else { continue }
            let state = record.slots[slot].memory
            let hook = question == .creation ? table.pointee.did_create : table.pointee.did_delete
            hook?(
                answer.instance.pointer, state, scope.cCandidate(counter: answer.counter), happened ? 1 : 0,
                scope.cContext)
        }
    }
}

extension Resolution {
    fileprivate var absence: Chain.Absence { if case .off = self { .off } else { .unparameterized } }
}

extension Value {
    /// The value as the key of a counter; nothing that is null, a list or a mapping counts.
    fileprivate var counterKey: String? {
        switch self {
        case .text(let text): text
        case .bool, .integer, .number: json
        case .null, .list, .map: nil
        }
    }
}
