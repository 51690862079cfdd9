extension Decision {
    /// What was collected until a digest closed.
    public struct Digest: Sendable, Hashable {
        /// The newest that were kept, the oldest first.
        public var items: [Item]
        /// Of all that were collected.
        public var count: Int

        public init(items: [Item], count: Int) { (self.items, self.count) = (items, count) }

        public struct Item: Sendable, Hashable {
            /// The signal behind it.
            public var cause: String
            /// Of the signal.
            public var data: Value?
            /// When it was collected.
            public var time: Instant
            /// Nil where it is the digest's.
            public var campaign: String?

            public init(cause: String, data: Value?, time: Instant, campaign: String? = nil) {
                (self.cause, self.data, self.time, self.campaign) = (cause, data, time, campaign)
            }
        }
    }

    /// A candidate that a digest took.
    public struct Collected: Sendable, Hashable {
        public var origin: Origin
        /// The id of the chain entry.
        public var strategy: String
        /// The key of the counter, where `per` is not subject.
        public var counter: String?
        /// How many there are so far.
        public var items: Int
        /// When the digest closes.
        public var until: Instant

        public init(origin: Origin, strategy: String, counter: String?, items: Int, until: Instant) {
            (self.origin, self.strategy, self.counter) = (origin, strategy, counter)
            (self.items, self.until) = (items, until)
        }
    }

    /// What would have been created, and is not shown: the entries were told that it was.
    public struct Withheld: Sendable, Hashable {
        public var origin: Origin
        /// Those that withheld it.
        public var reasons: [Denial]
        public var digest: Digest?

        public init(origin: Origin, reasons: [Denial], digest: Digest? = nil) {
            (self.origin, self.reasons, self.digest) = (origin, reasons, digest)
        }
    }
}

extension JSONWriter {
    /// Members of a decision about a digest.
    mutating func digest(_ digest: Decision.Digest?) {
        guard let digest else { return }
        key("items")
        beginList()
        for item in digest.items {
            beginObject()
            member("cause", item.cause)
            member("data", item.data)
            member("time", item.time)
            member("campaign", item.campaign)
            endObject()
        }
        endList()
        member("count", .integer(Int64(digest.count)))
    }
}
