@testable import BelfryEngine
import BelfryModel
import Testing

/// What was sent to a subject, and how often campaigns were created, beside plain lists that do the same.
@Suite struct SentTests {
    private func copy(_ record: borrowing SubjectRecord) throws -> SubjectRecord {
        try SubjectRecord(subject: record.subject, reading: record.stored())
    }

    private struct Sent {
        let notification: String
        let campaign: String
        let isDeletedOnExit: Bool
        var openedAt: Instant?
        var isCurrent = true
        var isInHistory = true
        var isHeld: Bool { isCurrent && !isDeletedOnExit }

        /// The oldest go beyond the limits.
        static func forget(_ plain: inout [Sent], keeping limits: SubjectRecord.Limits) {
            let history = plain.indices.filter { plain[$0].isInHistory }
            let held = plain.indices.filter { plain[$0].isHeld }
            for index in history.dropLast(limits.history) { plain[index].isInHistory = false }
            for index in held.dropLast(limits.held) { plain[index].isCurrent = false }
        }
    }

    /// Whatever becomes of its notifications, a campaign is counted on.
    @Test(arguments: 1...4) func `notifications are kept as in a plain list`(seed: UInt64) throws {
        var record = SubjectRecord(subject: "anna")
        var plain: [Sent] = []
        var tallies: [String: SubjectRecord.Tally] = [:]
        var dice = SplitMix64(seed: seed)
        let limits =
            seed % 2 == 0
            ? SubjectRecord.Limits(history: 7, held: 5) : SubjectRecord.Limits(history: 1000, held: 1000)
        for minute in 0..<600 {
            let (campaign, now) = ("c-\(dice.next() % 9)", Instant(milliseconds: Int64(minute)))
            let count = record.count(campaign, at: now)
            #expect(Int64(count.number) == (tallies[campaign]?.count ?? 0) + 1)
            tallies[campaign] = SubjectRecord.Tally(campaign: campaign, count: Int64(count.number), lastAt: now)
            let snapshot = SubjectRecord.Snapshot(
                campaign: campaign, eventData: minute % 3 == 0 ? .integer(Int64(minute)) : nil,
                content: Decision.Content(title: "Title \(minute)"))
            let isDeletedOnExit = minute % 2 == 0
            record.add(
                StoredSnapshot(snapshot), number: count.number, campaign: count.campaign, at: now,
                marks: isDeletedOnExit ? [.current, .inHistory, .deletedOnExit] : [.current, .inHistory],
                keeping: limits)
            let notification = "\(campaign)/\(count.number)"
            plain.append(Sent(notification: notification, campaign: campaign, isDeletedOnExit: isDeletedOnExit))
            Sent.forget(&plain, keeping: limits)
            #expect(record.current.last?.snapshot == snapshot)
            switch dice.next() % 8 {
            case 0:
                record.delete(notification)
                plain[plain.count - 1].isCurrent = false
            case 1:
                let index = Int(dice.next() % UInt64(plain.count))
                let first = plain[index].openedAt ?? now
                if plain[index].isCurrent || plain[index].isInHistory {
                    #expect(record.open(plain[index].notification, at: now) == first)
                    plain[index].openedAt = first
                }
            case 2 where minute % 5 == 0:
                record.clearHistory()
                for index in plain.indices { plain[index].isInHistory = false }
            case 3: record = try copy(record)
            default: break
            }
            #expect(record.current.map(\.notification) == plain.filter(\.isCurrent).map(\.notification))
            #expect(record.notifications.map(\.notification) == plain.filter(\.isInHistory).map(\.notification))
            #expect(record.notifications.map(\.openedAt) == plain.filter(\.isInHistory).map(\.openedAt))
            #expect(record.tallies == tallies.values.sorted { $0.lastAt < $1.lastAt })
            #expect(record.tally(of: campaign) == tallies[campaign] && record.tally(of: "other") == nil)
        }
    }

    @Test func `the history keeps the newest, and so do notifications that only a request deletes`() throws {
        var record = SubjectRecord(subject: "anna")
        for number in 1...10 {
            let count = record.count("sale", at: Instant(milliseconds: Int64(number)))
            let snapshot = SubjectRecord.Snapshot(campaign: "sale", content: Decision.Content())
            record.add(
                StoredSnapshot(snapshot), number: count.number, campaign: count.campaign,
                at: Instant(milliseconds: Int64(number)),
                marks: number % 2 == 0 ? [.current, .inHistory, .deletedOnExit] : [.current, .inHistory],
                keeping: SubjectRecord.Limits(history: 3, held: 3))
        }
        #expect(record.notifications.map(\.notification) == ["sale/8", "sale/9", "sale/10"])
        // Of the odd ones three; leaving the region deletes the even ones.
        #expect(
            record.current.map(\.notification) == [
                "sale/2", "sale/4", "sale/5", "sale/6", "sale/7", "sale/8", "sale/9", "sale/10",
            ])
    }
}
