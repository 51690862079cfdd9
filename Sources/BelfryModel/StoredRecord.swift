/// A record as a store has it.
public struct StoredRecord: Sendable, Hashable {
    public var bytes: [UInt8]
    /// Where it lies among the others of its store: many are written fastest in that order. 0 where that makes no difference.
    public var place: UInt32

    public init(_ bytes: [UInt8], place: UInt32 = 0) { (self.bytes, self.place) = (bytes, place) }
}
