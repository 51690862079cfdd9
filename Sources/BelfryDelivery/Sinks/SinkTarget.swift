/// Where a sink delivers to. It makes one attempt at a time for each subject, and knows nothing of order, retries or cursors.
protocol SinkTarget: AnyObject, Sendable {
    /// Where that is, for messages.
    var address: String { get }

    /// Begins an attempt. `done` is called once, on any thread, also before this returns.
    func deliver(_ item: SinkItem, done: @escaping @Sendable (SinkOutcome) -> Void)

    /// What was taken is to survive the machine.
    func sync() throws

    /// Ends what is under way, and lets go of everything.
    func close()
}

extension SinkTarget {
    func sync() throws {}
}
