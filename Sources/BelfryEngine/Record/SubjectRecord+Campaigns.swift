import BelfryModel

// How often each campaign was created, ever: an entry for each, in the order of first creation. Notifications refer to it by its place.
//
//     size  what
//     4     how often
//     4     length of the id
//     8     when last, in ms
//     …     the id of the campaign

extension SubjectRecord {
    /// How often a campaign was created, ever. Numbering and `history.<campaign>` read it; clearing a history does not.
    public struct Tally: Sendable, Hashable {
        public var campaign: String
        public var count: Int64
        public var lastAt: Instant
    }

    /// Where an entry lies.
    private struct Place {
        /// Among the campaigns.
        var index: Int
        /// From the beginning of the header.
        var offset: Int
    }

    private static let fixedTallySize = 16

    /// Of every campaign that was created, the one created last at the end.
    public var tallies: [Tally] {
        campaignPlaces().map { tally(at: $0.offset) }.sorted { ($0.lastAt, $0.campaign) < ($1.lastAt, $1.campaign) }
    }

    func tally(of campaign: String) -> Tally? { place(ofCampaign: campaign).map { tally(at: $0.offset) } }

    /// The number of the last one of a campaign; 0 if there never was one.
    func count(of campaign: String) -> UInt32 {
        place(ofCampaign: campaign).map { block.number(at: $0.offset) } ?? 0
    }

    /// Counts one more creation of a campaign.
    ///
    /// - Returns: its number, from 1, and the place of the campaign.
    mutating func count(_ campaign: String, at now: Instant) -> (number: UInt32, campaign: Int) {
        let place = place(ofCampaign: campaign) ?? addCampaign(campaign)
        let number = block.number(at: place.offset, as: UInt32.self) + 1
        block.store(number, at: place.offset)
        block.store(now.milliseconds, at: place.offset + 8)
        return (number, place.index)
    }

    /// Goes on behind the decisions and notifications of another record of the subject, so that no id is given twice.
    public mutating func continueNumbers(of other: borrowing SubjectRecord) {
        decisions = max(decisions, other.decisions)
        for tally in other.tallies where tally.count > count(of: tally.campaign) {
            let isNew = place(ofCampaign: tally.campaign) == nil
            let place = place(ofCampaign: tally.campaign) ?? addCampaign(tally.campaign)
            block.store(UInt32(clamping: tally.count), at: place.offset)
            if isNew { block.store(tally.lastAt.milliseconds, at: place.offset + 8) }
        }
    }

    /// The id of the campaign at a place.
    func campaign(_ index: Int) -> String {
        var offset = block.range(of: .campaigns).lowerBound
        for _ in 0..<index { offset += length(ofTallyAt: offset) }
        return tally(at: offset).campaign
    }

    /// Its place; nil if it was never created.
    func index(ofCampaign campaign: String) -> Int? { place(ofCampaign: campaign)?.index }

    private mutating func addCampaign(_ campaign: String) -> Place {
        let index = campaignPlaces().count
        let length = campaign.utf8.count
        let offset = block.extend(.campaigns, by: Self.fixedTallySize + length)
        block.store(0 as UInt32, at: offset)
        block.store(UInt32(length), at: offset + 4)
        campaign.withBytes { block.copy($0, to: offset + Self.fixedTallySize) }
        return Place(index: index, offset: offset)
    }

    private func place(ofCampaign campaign: String) -> Place? {
        campaign.withBytes { id in
            let range = block.range(of: .campaigns)
            var place = Place(index: 0, offset: range.lowerBound)
            while place.offset < range.upperBound {
                let length = length(ofTallyAt: place.offset)
                if length == Self.fixedTallySize + id.count,
                    block.has(id, at: place.offset + Self.fixedTallySize)
                {
                    return place
                }
                place = Place(index: place.index + 1, offset: place.offset + length)
            }
            return nil
        }
    }

    private func campaignPlaces() -> [Place] {
        let range = block.range(of: .campaigns)
        var (places, offset) = ([Place](), range.lowerBound)
        while offset < range.upperBound {
            places.append(Place(index: places.count, offset: offset))
            offset += length(ofTallyAt: offset)
        }
        return places
    }

    private func length(ofTallyAt offset: Int) -> Int {
        Self.fixedTallySize + Int(block.number(at: offset + 4, as: UInt32.self))
    }

    private func tally(at offset: Int) -> Tally {
        let id = offset + Self.fixedTallySize..<offset + length(ofTallyAt: offset)
        return Tally(
            campaign: String(checking: block.bytes.extracting(id)) ?? "",
            count: Int64(block.number(at: offset, as: UInt32.self)),
            lastAt: Instant(milliseconds: block.number(at: offset + 8)))
    }

    /// How many campaigns are in a section of a record that came from outside; nil if it makes no sense.
    static func campaignCount(in bytes: RawSpan) -> Int? {
        var reader = ByteReader(bytes)
        var count = 0
        do throws(ByteReader.Damage) {
            while reader.rest > 0 {
                let created = try reader.fixed(UInt32.self)
                let length = try reader.fixed(UInt32.self)
                _ = try reader.fixed(Int64.self)
                // So many that one more can be counted.
                guard created < 1 << 31, bytes.extracting(try reader.skip(Int(length))).isUTF8 else { return nil }
                count += 1
            }
            return count
        } catch {
            return nil
        }
    }
}
