import BelfryModel

// An open digest lies in the timer that closes it: what takes the timer has the items, and nothing else ever will.

extension SubjectRecord {
    /// What an entry has collected under a counter.
    public struct Digest: Sendable, Hashable {
        /// The id of the chain entry.
        public var entry: String
        /// Nil where the entry counts per subject.
        public var counter: String?
        public var opened: Instant
        /// None, as long as it has nothing but the candidate that leads it.
        public var items = CollectedItems()
        /// What the first item said beyond its campaign.
        public var asked = Asked()

        /// What the candidate at the close says beyond its campaign.
        var askedAtClose: Asked {
            var asked = asked
            asked.digest = items
            return asked
        }
    }

    /// The items of a digest, the newest of them in stored form: to add one reads none.
    public struct CollectedItems: Sendable, Hashable {
        /// Of all that were collected.
        public private(set) var count = 0
        /// How many of them are here.
        private var kept = 0
        /// Each after its length, the oldest first.
        private var bytes: [UInt8] = []

        mutating func add(_ item: Decision.Digest.Item, keeping limit: Int) {
            var writer = ByteWriter()
            writer.text(item.cause)
            writer.value(item.data)
            writer.instant(item.time)
            writer.text(item.campaign)
            var entry = ByteWriter()
            writer.withBytes { entry.text($0) }
            entry.withBytes { bytes.append(contentsOf: $0) }
            (count, kept) = (count + 1, kept + 1)
            while kept > limit { removeOldest() }
        }

        private mutating func removeOldest() {
            let length = SubjectRecord.sound(.timers) { () throws(ByteReader.Damage) -> Int in
                var reader = ByteReader(bytes.span.bytes)
                _ = try reader.utf8()
                return reader.position
            }
            bytes.removeFirst(length)
            kept -= 1
        }

        /// As they leave in a decision.
        public var digest: Decision.Digest {
            let items = SubjectRecord.sound(.timers) { () throws(ByteReader.Damage) -> [Decision.Digest.Item] in
                try self.items()
            }
            return Decision.Digest(items: items, count: count)
        }

        private func items() throws(ByteReader.Damage) -> [Decision.Digest.Item] {
            var reader = ByteReader(bytes.span.bytes)
            var items: [Decision.Digest.Item] = []
            while reader.rest > 0 {
                var item = ByteReader(try reader.utf8())
                items.append(
                    Decision.Digest.Item(
                        cause: try item.text(), data: try item.optionalValue(), time: try item.instant(),
                        campaign: try item.optionalText()))
                try item.end()
            }
            return items
        }

        /// Whether what came from outside is what it says.
        var isSound: Bool { (try? items().count) == kept && count >= kept && count < 1 << 31 }
    }

    /// The open digest of an entry under a counter; nil without one. One that closes at that instant is open no longer.
    func openDigest(of entry: String, _ counter: String?, at now: Instant) -> (digest: Digest, closes: Instant)? {
        let place = openDigest(after: now) { $0.digest(of: entry, counter) != nil }
        guard let timer = place.map({ timer(at: $0) }), let digest = timer.digest(of: entry, counter) else {
            return nil
        }
        return (digest, timer.due)
    }

    /// Opens a digest without items.
    mutating func lead(_ origin: Decision.Origin, by entry: String, _ counter: String?, at now: Instant, until: Instant)
    {
        arm(
            .digest(Digest(entry: entry, counter: counter, opened: now)), at: until, cause: "", channel: nil,
            origin: origin)
    }

    /// An item on its way into a digest.
    struct Collection {
        let entry: String
        let counter: String?
        let item: Decision.Digest.Item
        let origin: Decision.Origin
        let channel: String?
        let asked: Asked
        /// When the digest is to close, as of now.
        let closes: Instant
        /// How many items are kept.
        let limit: Int
    }

    /// Adds an item to the open digest of its entry and counter, or to a new one.
    ///
    /// - Returns: how many items it has now; and the timer of the digest, taken out, if it closes at once.
    mutating func collect(_ collection: Collection) -> (count: Int, filled: Timer?) {
        let now = collection.item.time
        let place = openDigest(after: now) { $0.digest(of: collection.entry, collection.counter) != nil }
        var timer = place.map { takeTimer(at: $0) } ?? Timer(collection)
        let count = timer.take(collection)
        let isFilled = collection.closes <= now
        // The one that fills it is the cause of its close.
        if isFilled { timer.cause = collection.item.cause }
        if place == nil || timer.due != collection.closes {
            (timer.due, timer.sequence) = (collection.closes, block[.timersArmed])
            block[.timersArmed] += 1
        }
        if !isFilled { append(timer) }
        return (count, isFilled ? timer : nil)
    }
}

extension SubjectRecord.Timer {
    fileprivate init(_ collection: SubjectRecord.Collection) {
        self.init(
            due: collection.closes, sequence: 0, cause: "", campaign: "",
            purpose: .digest(
                SubjectRecord.Digest(
                    entry: collection.entry, counter: collection.counter, opened: collection.item.time)))
    }

    /// The digest that it closes, if that is the one of the entry under the counter.
    fileprivate func digest(of entry: String, _ counter: String?) -> SubjectRecord.Digest? {
        guard case .digest(let digest) = purpose, digest.entry.isSameText(as: entry), isSame(digest.counter, counter)
        else { return nil }
        return digest
    }

    private func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.isSameText(as: other)
    }

    /// Adds the item; the candidate at the close is that of the first one.
    fileprivate mutating func take(_ collection: SubjectRecord.Collection) -> Int {
        guard case .digest(var digest) = purpose else { return 0 }
        if digest.items.count == 0 {
            (cause, channel, digest.asked) = (collection.item.cause, collection.channel, collection.asked)
            (campaign, trigger, region) = (
                collection.origin.campaign, collection.origin.trigger, collection.origin.region
            )
        }
        var item = collection.item
        item.campaign = collection.origin.campaign == campaign ? nil : collection.origin.campaign
        digest.items.add(item, keeping: collection.limit)
        purpose = .digest(digest)
        return digest.items.count
    }
}

// MARK: As stored

extension ByteWriter {
    mutating func digest(_ digest: SubjectRecord.Digest) {
        text(digest.entry)
        text(digest.counter)
        instant(digest.opened)
        items(digest.items)
    }

    mutating func items(_ items: SubjectRecord.CollectedItems) { items.write(to: &self) }
}

extension ByteReader {
    @_lifetime(self: copy self)
    mutating func digest() throws(Damage) -> SubjectRecord.Digest {
        SubjectRecord.Digest(
            entry: try text(), counter: try optionalText(), opened: try instant(), items: try items())
    }

    /// The items themselves are looked at when a record comes from outside: see `CollectedItems.isSound`.
    @_lifetime(self: copy self)
    mutating func items() throws(Damage) -> SubjectRecord.CollectedItems {
        let (count, kept) = (try unsigned(), try unsigned())
        guard count < 1 << 31, kept <= count else { throw damage }
        let bytes = try utf8().withUnsafeBytes { [UInt8]($0) }
        return SubjectRecord.CollectedItems(count: Int(count), kept: Int(kept), bytes)
    }
}

extension SubjectRecord.CollectedItems {
    fileprivate init(count: Int, kept: Int, _ bytes: [UInt8]) {
        (self.count, self.kept, self.bytes) = (count, kept, bytes)
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.unsigned(UInt64(count))
        writer.unsigned(UInt64(kept))
        bytes.withUnsafeBytes { writer.text($0) }
    }
}
