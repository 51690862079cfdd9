import BelfryRuntime

/// One of the sinks of a run, whatever it brings where.
protocol SinkMember: Outlet {
    var id: String { get }
    var status: SinkStatus { get }

    /// - Returns: how many decisions that was about.
    /// - Throws: `SinkRefusal`, `JournalError`.
    func act(_ action: SinkAction) throws -> Int
}
