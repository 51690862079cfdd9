@testable import BelfryEngine
import BelfryModel
import Testing

/// What was sent to a subject, and how often campaigns were created.
@Suite struct SentTests {
    private func notice(_ campaign: String, title: String? = nil) -> SubjectRecord.Notice {
        SubjectRecord.Notice(
            campaign: campaign, trigger: nil, region: nil, content: Decision.Content(title: title))
    }

    private func copy(_ record: SubjectRecord) throws -> SubjectRecord {
        try SubjectRecord(subject: record.subject, decoding: record.encoded(by: "1"))
    }

    @Test(arguments: [0, 1, 3])
    func `what is current and what is history is read as it was stored`(sameInstant: Int) throws {
        let record = SubjectRecord(subject: "anna")
        for number in 1...64 {
            let instant = Instant(milliseconds: Int64(number >> sameInstant))
            var marks: SubjectRecord.Sent.Marks = []
            if number % 3 != 0 { marks.insert(.current) }
            if number % 7 == 0 { marks.insert(.deletedOnExit) }
            if number % 3 == 0 || number % 4 != 0 { marks.insert(.inHistory) }
            record.sent.append(
                SubjectRecord.Sent(
                    number: Int64(number), notice: notice("sale", title: "\(number)"), at: instant,
                    openedAt: number % 5 == 0 ? instant : nil, marks: marks))
        }
        let copy = try copy(record)
        #expect(copy.current == record.current && copy.current.count == 43)
        #expect(copy.notifications == record.notifications && copy.notifications.count == 53)
        let counts = (copy.sent.count, record.sent.count)
        #expect(counts.0 == counts.1)
    }

    /// Whatever becomes of its notifications, a campaign is counted on.
    @Test func `campaigns are counted as in a plain table`() throws {
        var record = SubjectRecord(subject: "anna")
        var plain: [String: SubjectRecord.Tally] = [:]
        var dice = SplitMix64(seed: 7)
        for minute in 0..<600 {
            let (campaign, now) = ("c-\(dice.next() % 9)", Instant(milliseconds: Int64(minute)))
            let isSent = dice.next() % 4 > 0
            let number = record.count(campaign, at: now, isSent: isSent)
            if isSent {
                record.sent.append(
                    SubjectRecord.Sent(
                        number: number, notice: notice(campaign), at: now, marks: [.current, .inHistory, .newest]))
            }
            let former = plain[campaign]?.count ?? 0
            #expect(number == former + 1)
            plain[campaign] = SubjectRecord.Tally(campaign: campaign, count: number, lastAt: now)
            switch dice.next() % 8 {
            case 0: record.delete(SubjectRecord.notification(campaign, number))
            case 1: record.forgetOldest(keeping: 3)
            case 2 where minute % 5 == 0: record.clearHistory()
            case 3: record = try copy(record)
            default: break
            }
            #expect(record.tallies == plain.values.sorted { $0.lastAt < $1.lastAt })
            #expect(record.tally(of: campaign) == plain[campaign] && record.tally(of: "other") == nil)
        }
    }

    /// Somebody who was told what everybody was, and something of her own.
    private func told(_ name: String, of campaigns: Range<Int>) -> [UInt8] {
        let record = SubjectRecord(subject: name)
        for number in campaigns {
            let now = Instant(milliseconds: Int64(number))
            let own = SubjectRecord.Notice(
                campaign: "own", trigger: nil, region: nil, eventData: .text(name), content: Decision.Content())
            for notice in [notice("c-\(number)", title: "What everybody is told"), own] {
                let count = record.count(notice.campaign, at: now, isSent: true)
                record.sent.append(
                    SubjectRecord.Sent(number: count, notice: notice, at: now, marks: [.current, .inHistory, .newest]))
            }
        }
        return record.encoded(by: "1")
    }

    @Test func `records that are read share what many were told`() throws {
        let notices = NoticeLibrary()
        func read(_ name: String, _ campaigns: Range<Int>) throws -> [SubjectRecord.Notice] {
            let bytes = told(name, of: campaigns)
            let record = try SubjectRecord(subject: name, decoding: bytes, notices: notices)
            #expect(record.encoded(by: "1") == bytes)
            #expect(try record.value == SubjectRecord(subject: name, decoding: bytes).value)
            return record.current.map(\.notice)
        }
        let (ana, ben) = (try read("ana", 0..<3), try read("ben", 1..<3))
        #expect(ana[2] === ben[0] && ana[4] === ben[2])
        #expect(ana[1].eventData == "ana" && ben[1].eventData == "ben")
        // More than there is room for.
        let many = try read("eve", 0..<5000)
        let again = try read("eve", 4990..<5000)
        #expect(many.last?.campaign == "own" && many[9998] === again[18])
    }
}
