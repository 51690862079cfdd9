import BelfryModel
import CBelfry

/// What a request reads of the trigger that answers it, with the candidates right behind.
///
/// Of many campaigns that is far from the processor each time. So it lies in two or three lines of memory, side by side with those of
/// other campaigns, and the trigger itself is not looked at. Constant, and there as long as the trigger.
struct TriggerHead {
    let trigger: Unmanaged<TriggerPlan>
    let campaign: TextWords
    let isPublished: Bool
    /// Whether all is known beforehand of what is shown where nobody has a say.
    let isFixed: Bool
    /// Whom a candidate without a region is asked about, and the candidate itself, if all of that is known beforehand.
    let straight: (steps: UnsafeBufferPointer<ChainStep>, candidates: UnsafePointer<CountedCandidate>)?
}

/// A candidate as a plugin sees it that is asked under one counter, where nothing but its trigger has a say in it: then it is the same
/// each time, and lies ready.
struct CountedCandidate {
    /// The first member: where the key is, there is this.
    let key: CounterKey
    let candidate: UnsafePointer<belfry_candidate>
}

extension Constants {
    /// Room for the head of a trigger, and behind it the candidates for the counters of a chain.
    ///
    /// - Parameters:
    ///   - chain: nil if it is not straight.
    ///   - prototype: the candidate without a counter.
    func head(
        _ chain: StraightChain?, of campaign: CampaignPlan, triggerKey: UnsafePointer<CounterKey>?,
        _ prototype: belfry_candidate
    ) -> (head: UnsafeMutablePointer<TriggerHead>, candidates: UnsafePointer<CountedCandidate>) {
        let counters = chain?.counters ?? []
        let (head, candidates) = roomForHead(candidates: counters.count)
        for (place, counter) in counters.enumerated() {
            let key =
                switch counter {
                case .subject: CounterKey.subject
                case .campaign: campaign.id.key.pointee
                case .trigger: triggerKey?.pointee ?? .subject
                case .group(let group): Unmanaged<GroupPlan>.fromOpaque(group).takeUnretainedValue().id.key.pointee
                }
            var candidate = prototype
            candidate.counter = key.text
            (candidates + place).initialize(to: CountedCandidate(key: key, candidate: copy(candidate)))
        }
        return (head, UnsafePointer(candidates))
    }
}
