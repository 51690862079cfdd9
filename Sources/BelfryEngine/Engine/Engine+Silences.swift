import BelfryModel

extension Engine {
    /// The reasons of the silences that hold for the candidate of the scope, in their order.
    ///
    /// Asked before the chain, at the time of the decision: with one of them no entry is asked or told.
    @inline(never)
    func silences(_ moment: borrowing Moment) -> [Decision.Denial] {
        catalog.configuration.silences.filter { silence in
            silence.isActive(at: moment.now)
                && silence.matchers.allSatisfy { $0.holds(for: values(of: $0.property, moment)) }
        }.map {
            Decision.Denial(
                strategy: "belfry", code: "silenced", message: $0.message, until: $0.until, silence: $0.id)
        }
    }

    private func values(of property: SilenceMatcher.Property, _ moment: borrowing Moment) -> [String] {
        let candidate = scope.candidate
        switch property {
        case .campaign: return [candidate.campaign.campaign.id]
        case .group: return candidate.campaign.campaign.groups
        case .tag: return candidate.campaign.campaign.tags
        case .region: return [candidate.region?.object.region.id].compactMap { $0 }
        case .subject: return [moment.record.subject]
        case .channel: return [candidate.channel].compactMap { $0 }
        case .data(let path): return [candidate.asked?.eventData?.value(at: path[...])?.silenceText].compactMap { $0 }
        }
    }

    /// - Returns: whether the candidate of the scope is silenced, which is a decision then.
    @inline(never)
    func refuseSilenced(_ moment: borrowing Moment, into effects: inout Effects) -> Bool {
        let reasons = silences(moment)
        if reasons.isEmpty { return false }
        for reason in reasons { effects.count(silence: reason.silence ?? "", at: moment.now) }
        effects.add(
            .suppressed(Decision.Refused(origin: scope.candidate.origin, reasons: reasons, until: reasons.end)), moment)
        return true
    }
}

extension [Decision.Denial] {
    /// When the last of them ends; nil if one has no end.
    var end: Instant? { allSatisfy { $0.until != nil } ? compactMap(\.until).max() : nil }
}

extension Value {
    /// What a matcher compares with: texts as they are, numbers and booleans as JSON writes them; nil for null.
    fileprivate var silenceText: String? {
        switch self {
        case .null: nil
        case .text(let text): text
        case .bool, .integer, .number, .list, .map: json
        }
    }
}
