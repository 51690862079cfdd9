import BelfryModel

/// Items that are sent together, and sent again together until they are taken.
package struct ForwardBatch: Sendable, Hashable {
    /// The same whenever these items are sent together, and no others.
    package let key: String
    /// A JSON array of CloudEvents (`application/cloudevents-batch+json`).
    package let body: [UInt8]
    package let count: Int
    /// The number in the queue of the last one.
    package let through: UInt64
    /// The first one: the only one, where it matters.
    package let first: [UInt8]

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
