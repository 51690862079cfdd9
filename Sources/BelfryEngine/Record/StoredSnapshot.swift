import BelfryModel

/// A snapshot as it is stored: what most are made of is known before anything happens, and so is this.
struct StoredSnapshot: Sendable {
    let parts: Parts
    let bytes: [UInt8]

    /// What there is besides the campaign.
    struct Parts: OptionSet, Sendable {
        let rawValue: UInt16

        static let title = Parts(rawValue: 1)
        static let message = Parts(rawValue: 2)
        static let trigger = Parts(rawValue: 4)
        static let region = Parts(rawValue: 8)
        static let data = Parts(rawValue: 16)
        /// Another one than the usual.
        static let handler = Parts(rawValue: 32)
        static let presentation = Parts(rawValue: 64)
        static let channel = Parts(rawValue: 128)
        static let eventData = Parts(rawValue: 256)
        static let category = Parts(rawValue: 512)
        static let buttons = Parts(rawValue: 1024)

        static let all = Parts(rawValue: 2047)
        /// Those that are no texts.
        fileprivate static let values: Parts = [.data, .presentation, .eventData, .buttons]
        fileprivate static let usualHandler = "none"
    }

    init(_ snapshot: SubjectRecord.Snapshot) {
        var parts = Parts()
        var writer = ByteWriter()
        let content = snapshot.content
        func text(_ part: Parts, _ text: String?) {
            guard let text else { return }
            parts.insert(part)
            writer.text(text)
        }
        func value(_ part: Parts, _ value: Value?) {
            guard let value else { return }
            parts.insert(part)
            writer.value(value)
        }
        text(.title, content.title)
        text(.message, content.message)
        text(.trigger, snapshot.trigger)
        text(.region, snapshot.region)
        value(.data, content.data)
        text(.handler, content.handler == Parts.usualHandler ? nil : content.handler)
        value(.presentation, content.presentation)
        text(.channel, snapshot.channel)
        value(.eventData, snapshot.eventData)
        text(.category, content.category)
        value(.buttons, content.buttons)
        (self.parts, bytes) = (parts, writer.bytes)
    }
}

extension ByteReader {
    /// Passes over a snapshot, and checks that it is one.
    @_lifetime(self: copy self)
    mutating func checkSnapshot(_ parts: StoredSnapshot.Parts) throws(Damage) {
        guard parts.isSubset(of: .all) else { throw damage }
        // In the order in which they are written.
        for bit in 0..<UInt16.bitWidth where parts.rawValue & 1 << UInt16(bit) != 0 {
            let part = StoredSnapshot.Parts(rawValue: 1 << UInt16(bit))
            if StoredSnapshot.Parts.values.contains(part) { try checkValue() } else { try checkText() }
        }
    }

    /// Whether a snapshot is of one of these regions.
    @_lifetime(self: copy self)
    mutating func isSnapshot(_ parts: StoredSnapshot.Parts, in regions: [String]) throws(Damage) -> Bool {
        guard parts.contains(.region) else { return false }
        for part in [StoredSnapshot.Parts.title, .message, .trigger] where parts.contains(part) { try skipText() }
        return try utf8().isAmong(regions)
    }

    @_lifetime(self: copy self)
    mutating func snapshot(
        of campaign: String, _ parts: StoredSnapshot.Parts
    ) throws(Damage) -> SubjectRecord.Snapshot {
        guard parts.isSubset(of: .all) else { throw damage }
        var content = Decision.Content()
        if parts.contains(.title) { content.title = try text() }
        if parts.contains(.message) { content.message = try text() }
        let trigger = parts.contains(.trigger) ? try text() : nil
        let region = parts.contains(.region) ? try text() : nil
        if parts.contains(.data) { content.data = try value() }
        content.handler = parts.contains(.handler) ? try text() : StoredSnapshot.Parts.usualHandler
        if parts.contains(.presentation) { content.presentation = try value() }
        let channel = parts.contains(.channel) ? try text() : nil
        let eventData = parts.contains(.eventData) ? try value() : nil
        if parts.contains(.category) { content.category = try text() }
        if parts.contains(.buttons) { content.buttons = try value() }
        return SubjectRecord.Snapshot(
            campaign: campaign, trigger: trigger, region: region, channel: channel, eventData: eventData,
            content: content)
    }
}
