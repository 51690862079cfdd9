/// What a strategy remembers of one subject, per counter.
///
/// It lives in memory of the host, so a decision costs no decoding. It is saved by key, a line per key:
///
///     mutating func load(from reader: StateReader) { createdAt = reader.instant("createdAt") }
///     func save(to writer: StateWriter) { writer.set("createdAt", createdAt) }
public protocol StrategyState {
    /// The version of what `save` writes. Default: 1. Raise it when the meaning of a key changes.
    static var version: UInt32 { get }

    /// The state of a subject who is new.
    init()
    /// Fills a new state from what was saved. A key that is not there leaves the initial value.
    mutating func load(from reader: StateReader)
    /// Writes each key once. What is nil is left out.
    func save(to writer: StateWriter)
    /// Fills a new state from what an earlier `version` saved. Default: the same as `load(from:)`.
    mutating func load(from reader: StateReader, version: UInt32) throws(StrategyError)
}

extension StrategyState {
    public static var version: UInt32 { 1 }

    public mutating func load(from reader: StateReader, version: UInt32) throws(StrategyError) {
        load(from: reader)
    }
}

/// The state of a strategy that remembers nothing. It takes no memory.
public struct NoState: StrategyState {
    public init() {}
    public mutating func load(from reader: StateReader) {}
    public func save(to writer: StateWriter) {}
}
