/// A type of sinks: where decisions are delivered to.
///
/// Each sink of the configuration that has this type gets a process of its own, with one instance, which is given one decision after the other.
/// It may use the network, files and clocks as it likes. When it crashes, ends the process or takes too long, the attempt has failed: the
/// decision comes again, in a new process. One that was taken may come again too, with the same id.
public protocol Sink {
    associatedtype Parameters: ParameterValue = NoParameters

    /// What `type:` of a sink names; unique among the types of sinks of the host.
    static var name: String { get }
    /// One sentence on what it does.
    static var summary: String { get }

    /// Takes parameters that fit their description. When it throws, the attempt has failed, and the next one tries it again.
    init(_ parameters: Parameters, host: Host) throws(StrategyError)

    /// Delivers a decision, and returns when that is done or has failed.
    mutating func deliver(_ delivery: Delivery) -> Delivered

    /// Lets go of everything, within a second: the process ends. It is not called when the process is ended or crashes.
    mutating func close()
}

extension Sink {
    public mutating func close() {}
}

/// An attempt to deliver one decision.
public struct Delivery: Sendable {
    /// The whole decision, as docs/decisions.md has it.
    public let decision: Fields
    /// The same as a line of JSON, without its end.
    public let line: String
    /// The time of day.
    public let now: Instant
    /// What takes longer has failed.
    public let timeout: Duration

    /// For tests: the host makes the others.
    public init(_ decision: Fields, now: Instant, timeout: Duration = .seconds(30)) {
        self.init(decision, line: Value.map(decision).json, now: now, timeout: timeout)
    }

    init(_ decision: Fields, line: String, now: Instant, timeout: Duration) {
        (self.decision, self.line, self.now, self.timeout) = (decision, line, now, timeout)
    }

    /// The same in each attempt: what was taken once may come again.
    public var id: String { text("id") }
    public var subject: String { text("subject") }
    /// `notification.created`, …
    public var type: String { text("type") }
    /// What was decided; empty if there is nothing more to say.
    public var data: Fields { decision["data"]?.map ?? [:] }

    private func text(_ key: String) -> String { decision[key]?.text ?? "" }
}

/// What became of an attempt. Each but the first has a sentence that says why.
public enum Delivered: Sendable, Hashable {
    case taken
    /// Not this one for now: its subject waits, others go on.
    case later(String)
    /// Not this one, whatever comes: it is given up, and told of.
    case never(String)
    /// Nothing goes now: after some of these the sink is left alone for a while.
    case failed(String)
    /// Nothing any more, until an operator resumes the sink.
    case stopped(String)
}
