import BelfryEngine
import BelfryModel

/// Items that are sent together, and sent again together until they are taken.
public struct ForwardBatch: Sendable, Hashable {
    /// The same whenever these items are sent together, and no others.
    public let key: String
    /// A JSON array of CloudEvents (`application/cloudevents-batch+json`).
    public let body: [UInt8]
    public let count: Int
    /// The number in the queue of the last one.
    let through: UInt64
    /// The first one: the only one, where it matters.
    let first: [UInt8]

    /// - Parameter items: at least one, in the order of the queue.
    init(_ items: some BidirectionalCollection<QueueItem>) {
        let body = [UInt8(ascii: "[")] + items.map(\.bytes).joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
        (self.body, count, first, through) = (body, items.count, items.first!.bytes, items.last!.number)
        key = "b-\(through)-\(count)-\(stableHash(body).hexadecimal)"
    }
}

extension UInt64 {
    /// 16 digits.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
