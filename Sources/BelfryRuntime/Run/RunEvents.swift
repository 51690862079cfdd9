import BelfryCore

/// What can happen to a run besides its input.
public enum RunEvent {
    /// Finish the batch and end; why, in a word or two.
    case stop(String)
    /// From the next signal on decide by this.
    case reload(DecisionSource)
}

/// Somebody who has events for a run. The run asks between two batches, and when it waits for input.
public protocol RunEvents: AnyObject {
    /// A descriptor that is readable when there is an event.
    var descriptor: Int32 { get }

    /// The next event, if there is one. Does not wait.
    func next() throws -> RunEvent?
}
