/// What a strategy remembers of one subject, per counter.
///
/// It lives in memory of the host, and each of its members is declared, once. From that the host stores it, shows it, and takes it over when
/// another version of the plugin has other fields: those of the same name and type keep their values, others begin as `init()` has them.
///
///     struct State: StrategyState {
///         var createdAt: Instant?
///         var count = 0
///
///         static var fields: [StateField<Self>] {
///             [
///                 StateField("createdAt", \.createdAt, "when the last one was created"),
///                 StateField("count", \.count, "how many there were"),
///             ]
///         }
///     }
///
/// A field is an `Int`, `Int64`, `Double`, `Bool`, `Instant` or `Duration`, an optional of one of these, a `StateText`, or a `StateList` of
/// `Int64` or `Instant`. A state that is made of something else, such as dictionaries, is a `SelfSavingState`.
public protocol StrategyState {
    /// All members that are stored.
    static var fields: [StateField<Self>] { get }

    /// The state of a subject who is new.
    init()

    /// Whether it is a `SelfSavingState`: the kit's own, not to be written.
    static var savesItself: Bool { get }
}

extension StrategyState {
    public static var savesItself: Bool { false }
}

/// A state that saves and loads itself, by key. It may be made of anything; the host asks it more often, and so it costs more.
///
///     mutating func load(from reader: StateReader) { seen = Set(reader.integers("seen") ?? []) }
///     func save(to writer: StateWriter) { writer.set("seen", seen.sorted()) }
public protocol SelfSavingState: StrategyState {
    /// The version of what `save` writes, below 2^31. Default: 1. Raise it when the meaning of a key changes.
    static var version: Int { get }

    /// Fills a new state from what was saved. A key that is not there leaves the initial value.
    mutating func load(from reader: StateReader)
    /// Writes each key once: a second time is a fault. What is nil is left out. A state that writes nothing is one of a subject who is new.
    func save(to writer: StateWriter)
    /// Fills a new state from what an earlier `version` saved, as of `now`, the subject's time. Default: the same as `load(from:)`.
    mutating func load(from reader: StateReader, version: Int, now: Instant) throws(StrategyError)
}

extension SelfSavingState {
    public static var version: Int { 1 }
    public static var fields: [StateField<Self>] { [] }
    public static var savesItself: Bool { true }

    public mutating func load(from reader: StateReader, version: Int, now: Instant) throws(StrategyError) {
        load(from: reader)
    }
}

/// The state of a strategy that remembers nothing. It takes no memory.
public struct NoState: StrategyState {
    public static var fields: [StateField<NoState>] { [] }

    public init() {}
}
