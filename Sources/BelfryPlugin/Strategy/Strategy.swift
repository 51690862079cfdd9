/// Decides which notifications ring.
///
/// A strategy itself is immutable and holds its parameters only: the host makes one for every set of parameters that the
/// configuration yields, and calls it for different subjects at once. What it remembers is its `State`, one per subject
/// and counter, kept by the host and handed to every hook.
///
/// What tells a strategy something (`didCreate`, `onOpened`, …) may throw: then the state stays what it was, and the operator is told
/// why, by a decision `strategy.faulted`.
///
/// Several sets of parameters can meet on one counter (a campaign with its own `period`, say). Keep facts in the state –
/// when the last one was created – rather than conclusions – when the next one is allowed – and each set will be right.
public protocol Strategy: Sendable {
    /// What can be configured. `Condition` is one too: then the parameters as a whole are a condition.
    associatedtype Parameters: ParameterValue = NoParameters
    /// What is remembered of one subject, per counter.
    associatedtype State: StrategyState = NoState

    /// What `strategy:` names in the configuration; unique in the host.
    static var name: String { get }
    /// One sentence on what it does.
    static var summary: String { get }
    /// Where it wants to stand in a chain. Default: anywhere.
    static var order: Order { get }
    /// The default of `per`. Default: `subject`, one counter for all.
    static var defaultCounter: String { get }
    /// Which outcomes of candidates, and of deletions, that it was asked about it is told. Default: all if it has a state, since it cannot
    /// remember them otherwise; else none.
    static var outcomes: ToldOutcomes { get }

    /// Takes parameters that fit their description; throws when they do not make sense together.
    init(_ parameters: Parameters, host: Host) throws(StrategyError)

    /// May this be created? Pure: called any number of times, also to explain.
    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict
    /// Tells the outcome, to every strategy that was asked (but see `outcomes`). `created` is false for a refused or deferred one.
    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) throws(StrategyError)
    /// May the current notification be deleted? Pure. Default: abstains.
    func shouldDelete(_ candidate: Candidate, state: State, context: Context) -> Verdict
    /// Tells the outcome, to every strategy that was asked.
    func didDelete(_ candidate: Candidate, deleted: Bool, state: inout State, context: Context) throws(StrategyError)
    /// The notification was opened; each time.
    func onOpened(_ candidate: Candidate, state: inout State, context: Context) throws(StrategyError)
    /// The app went to the background. Told for every counter that has state, and for the subject's own.
    func onBackground(state: inout State, context: Context) throws(StrategyError)
    /// The app came to the front. Told for every counter that has state, and for the subject's own.
    func onForeground(state: inout State, context: Context) throws(StrategyError)
    /// The parameters changed since the state was last used; `self` has the new ones. Called before a question, and perhaps again before the
    /// next one, as long as nothing was told.
    func updateParameters(state: inout State, context: Context) throws(StrategyError)

    /// The hooks with the type erased: the kit's own, not to be written.
    ///
    /// A requirement so that the default is compiled, and specialised, in the author's module: a decision then runs no
    /// generic code, although a `Plugin` takes its strategies as a plain list of types.
    static var erased: ErasedStrategy { get }
}

/// Which outcomes a strategy is told of.
public enum ToldOutcomes: Sendable {
    case none
    /// What was created, or deleted. For a strategy that makes nothing of a refusal: most candidates are refused, and to tell it so is the
    /// larger part of what that costs.
    case happened
    case all
}

/// The hooks that most strategies do without.
extension Strategy {
    public static var order: Order { Order() }
    public static var defaultCounter: String { "subject" }
    public static var outcomes: ToldOutcomes { MemoryLayout<State>.size > 0 ? .all : .none }

    public func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {}
    public func shouldDelete(_ candidate: Candidate, state: State, context: Context) -> Verdict { .abstain }
    public func didDelete(_ candidate: Candidate, deleted: Bool, state: inout State, context: Context) {}
    public func onOpened(_ candidate: Candidate, state: inout State, context: Context) {}
    public func onBackground(state: inout State, context: Context) {}
    public func onForeground(state: inout State, context: Context) {}
    public func updateParameters(state: inout State, context: Context) {}
}

/// A strategy that is told which regions are watched for a subject.
///
/// A protocol of its own, because a host keeps account of watched regions only where a strategy asks: there may be a hundred
/// thousand of them.
public protocol RegionMonitoring: Strategy {
    /// A region became watched for the subject: with the subject's first signal, when the configuration got a new region, or
    /// when it came among the nearest that the region budget allows. Told for every counter that has state, and for the
    /// subject's own.
    func onStartMonitoring(region: String, state: inout State, context: Context) throws(StrategyError)
}
