/// What an entry has collected under a counter, until it closes.
public struct OpenDigest: Sendable, Hashable {
    public var opened: Instant
    public var closes: Instant
    /// Of the items so far; 0 as long as it has nothing but the candidate that leads it.
    public var count: Int
}

// For strategies that answer `collect`. Where the host has no `belfry.digest/1`, there is no digest, and nothing is kept.

extension Context {
    /// The open digest of this entry under the counter it is asked under. For questions only.
    public var openDigest: OpenDigest? {
        var digest = belfry_open_digest()
        guard let table = host.digest, table.pointee.open(raw, &digest) != 0 else { return nil }
        return OpenDigest(
            opened: Instant(milliseconds: digest.opened), closes: Instant(milliseconds: digest.closes),
            count: Int(clamping: digest.count))
    }

    /// How many items the candidate stands for at the close of a digest; nil if it is none.
    public var digestCount: Int? {
        guard let count = host.digest?.pointee.count(raw), count > 0 else { return nil }
        return Int(clamping: count)
    }

    /// With `collect`: so many items are kept, the newest; 100 if it is not said. For questions only.
    public func keepItems(_ count: Int) { host.digest?.pointee.keep(raw, UInt64(max(1, count))) }

    /// With a verdict that does not speak against the candidate: if that is created, it opens a digest without items. For questions only.
    public func leadDigest(until closes: Instant) { host.digest?.pointee.lead(raw, closes.milliseconds) }
}
