import BelfryModel

extension SubjectRecord {
    /// What a notification or geotrigger came of and what it showed, as it was created.
    ///
    /// It never changes, so the records of everybody who was told the same share one.
    public final class Notice: Sendable, Hashable {
        public let campaign: String
        public let trigger: String?
        public let region: String?
        public let channel: String?
        public let eventData: Value?
        public let content: Decision.Content
        let campaignHash: UInt64
        /// As it is stored, after its length, where that is known.
        let stored: [UInt8]?

        init(
            campaign: String, trigger: String?, region: String?, channel: String? = nil, eventData: Value? = nil,
            content: Decision.Content, stored: [UInt8]? = nil
        ) {
            self.campaign = campaign
            self.trigger = trigger
            self.region = region
            self.channel = channel
            self.eventData = eventData
            self.content = content
            campaignHash = campaign.textHash
            self.stored = stored
        }

        /// The same for many records, which need not put it into bytes each time.
        var shared: Notice {
            var bytes = ByteWriter()
            bytes.content(of: self)
            return Notice(
                campaign: campaign, trigger: trigger, region: region, channel: channel, eventData: eventData,
                content: content, stored: bytes.bytes)
        }

        public static func == (left: Notice, right: Notice) -> Bool {
            left === right || left.campaignHash == right.campaignHash && left.parts == right.parts
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(campaign)
            hasher.combine(content)
        }

        private var parts: (String, String?, String?, String?, Value?, Decision.Content) {
            (campaign, trigger, region, channel, eventData, content)
        }
    }

    /// A notification that was created and not deleted yet.
    public struct Current: Sendable, Hashable, Noticed {
        public var notification: String
        public let notice: Notice
        public var createdAt: Instant
        public var openedAt: Instant?
        /// Leaving its region puts it up for deletion.
        public var isDeletedOnExit: Bool
    }

    public struct HistoryEntry: Sendable, Hashable, Noticed {
        /// Nil for a geotrigger.
        public var notification: String?
        public let notice: Notice
        public var sentAt: Instant
        /// When it was first opened, or handled.
        public var openedAt: Instant?
    }

    /// Something that keeps the notice of what it tells of.
    public protocol Noticed {
        var notice: Notice { get }
    }
}

extension SubjectRecord.Noticed {
    public var campaign: String { notice.campaign }
    public var trigger: String? { notice.trigger }
    public var region: String? { notice.region }
    public var channel: String? { notice.channel }
    public var eventData: Value? { notice.eventData }
    /// As it was created, whatever becomes of the campaign.
    public var content: Decision.Content { notice.content }
}
