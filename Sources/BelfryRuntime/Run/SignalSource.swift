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

    /// A subject was erased: lines that were read and not taken may be blank by now. By default nothing, for lines that are in no journal.
    func readAnew() throws
}

extension SignalSource {
    func readAnew() throws {}
}

extension LineReader: SignalSource {}
