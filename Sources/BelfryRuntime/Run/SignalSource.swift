import BelfrySignals

/// Where a run takes its signals from, a line each.
protocol SignalSource: AnyObject {
    /// So far.
    var bytesRead: Int { get }

    /// The next line, or nil at the end.
    ///
    /// - Parameter wait: called when there is nothing for now; returns whether to go on.
    func next(wait: () throws -> Bool) throws -> LineReader.Line?

    /// The next line if it is there already.
    func nextBuffered() -> LineReader.Line?
}

extension LineReader: SignalSource {}
