import BelfryModel

extension SubjectRecord {
    /// How often a campaign was created, ever. Numbering and `history.<campaign>` read it; clearing a history does not.
    public struct Tally: Sendable, Hashable {
        public var campaign: String
        public var count: Int64
        public var lastAt: Instant

        init(campaign: String, count: Int64, lastAt: Instant) {
            (self.campaign, self.count, self.lastAt) = (campaign, count, lastAt)
        }

        /// - Parameter newest: of its campaign.
        init(_ newest: Sent) { self.init(campaign: newest.notice.campaign, count: newest.number, lastAt: newest.at) }
    }

    /// Of every campaign that was created, the one created last at the end.
    public var tallies: [Tally] {
        let kept = sent.elements.lazy.filter { $0[.newest] }.map { Tally($0) }
        return (otherTallies + kept).sorted { ($0.lastAt, $0.campaign) < ($1.lastAt, $1.campaign) }
    }

    func tally(of campaign: String) -> Tally? {
        if let place = newest(of: campaign) { return Tally(sent[place]) }
        return particulars.flatMap { $0.otherTallies.first { $0.campaign == campaign } }
    }

    /// The place of the newest notification of a campaign among what was sent, if it is still kept.
    private func newest(of campaign: String) -> Int? {
        let elements = sent.elements
        var place = elements.count
        while place > 0 {
            place -= 1
            if elements[place][.newest], elements[place].isOf(campaign) { return place }
        }
        return nil
    }

    /// Counts one more creation of a campaign and returns its number, from 1.
    ///
    /// - Parameter isSent: a notification of that number is sent next, and tells of it.
    func count(_ campaign: String, at now: Instant, isSent: Bool) -> Int64 {
        let former = takeCount(of: campaign)
        if !isSent { otherTallies.append(Tally(campaign: campaign, count: former + 1, lastAt: now)) }
        return former + 1
    }

    private func takeCount(of campaign: String) -> Int64 {
        if let place = newest(of: campaign) {
            sent[place][.newest] = false
            return sent[place].number
        }
        guard let place = particulars?.otherTallies.firstIndex(where: { $0.campaign == campaign }) else { return 0 }
        return otherTallies.remove(at: place).count
    }

    /// Takes over what was counted before the newest notification of a campaign told of it.
    func take(_ tallies: [Tally]) {
        for tally in tallies {
            let place = sent.indices.last {
                sent[$0].isNotification((tally.campaign, tally.count)) && sent[$0].at == tally.lastAt
            }
            if let place { sent[place][.newest] = true } else { otherTallies.append(tally) }
        }
    }
}
