import BelfryEngine
import BelfryModel

/// How a sink is doing, for people and machines.
public struct SinkStatus: Sendable, Equatable {
    public enum State: String, Sendable {
        /// It gets what comes.
        case ready
        /// What it gets fails; it is tried again.
        case failing
        case paused
        /// It said that it wants nothing any more.
        case stopped
        /// What it had not taken is not in the journal any more.
        case broken
    }

    public let id: String
    public let type: String
    public var state = State.ready
    /// Why it is not ready.
    public var why: String?
    /// Decisions, or items of `forward`, that are not delivered, or not looked at yet.
    public var waiting = 0
    public var delivered = 0
    public var failedAttempts = 0
    /// Those that were given up.
    public var dropped = 0

    init(_ sink: Configuration.Sink, _ record: SinkRecord, decisions: UInt64) {
        self.init(id: sink.id, type: sink.target.type, record, waiting: record.waiting(of: decisions))
    }

    /// Of `forward`, whose items are not decisions.
    init(forwarding record: SinkRecord, waiting: Int) {
        var record = record
        // Where nothing waits, such as after an erasure, nothing fails.
        if waiting == 0 { record.trouble = nil }
        self.init(id: Forwarder.id, type: Forwarder.id, record, waiting: waiting)
    }

    private init(id: String, type: String, _ record: SinkRecord, waiting: Int) {
        (self.id, self.type, self.waiting) = (id, type, waiting)
        (delivered, failedAttempts, dropped) = (record.delivered, record.failedAttempts, record.dropped)
        if let stopped = record.stopped {
            (state, why) = (.stopped, stopped)
        } else if record.isPaused {
            state = .paused
        } else if let trouble = record.trouble {
            (state, why) = (.failing, trouble)
        }
    }

    /// Why it is broken: the journal drops what is too old, whether a sink has taken it or not.
    static func lost(after entry: UInt64) -> String { "the journal has dropped what came after entry \(entry)" }

    /// As a process that opens the sink will find it.
    ///
    /// - Parameter oldest: the first entry of the journal that is kept.
    mutating func check(_ record: SinkRecord, oldest: UInt64) {
        if record.entry > 0, oldest > record.entry + 1 { (state, why) = (.broken, Self.lost(after: record.entry)) }
    }

    public var value: Value {
        var fields: Fields = [
            "id": .text(id), "type": .text(type), "state": .text(state.rawValue), "waiting": .integer(Int64(waiting)),
            "delivered": .integer(Int64(delivered)), "failedAttempts": .integer(Int64(failedAttempts)),
            "dropped": .integer(Int64(dropped)),
        ]
        fields["why"] = why.map { .text($0) }
        return .map(fields)
    }
}
