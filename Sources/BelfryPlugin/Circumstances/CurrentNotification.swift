/// A current notification of the subject: one that was created and not deleted yet.
///
/// Borrowed from the host: only good until the hook returns.
public struct CurrentNotification {
    private let index: UInt64
    private let context: Context

    fileprivate init(_ index: UInt64, _ context: Context) { (self.index, self.context) = (index, context) }

    /// What is at a dotted path: `notification` (its id), `campaign`, `tags`, `data.incident` (of the signal that caused it),
    /// `createdAt`. Nil if there is none.
    public func value(at path: String) -> Value? {
        guard let table = context.host.current else { return nil }
        return path.withText { table.pointee.value(context.raw, index, $0.bytes, $0.length) }.map { Value($0) }
    }

    /// Whether a condition on these properties holds.
    public func meets(_ condition: Condition) -> Bool { condition.holds(forCurrent: index, context: context) }
}

extension Context {
    /// The current notifications of the subject, the oldest first; empty where the host does not tell (`belfry.current/1`).
    public var current: some Sequence<CurrentNotification> {
        let count = host.current?.pointee.count(raw) ?? 0
        return (0..<count).lazy.map { CurrentNotification($0, self) }
    }

    /// The candidate, as if it had been created just now.
    public var candidateAsCurrent: CurrentNotification { CurrentNotification(BELFRY_CURRENT_CANDIDATE, self) }
}
