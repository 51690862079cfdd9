import BelfryCore

/// What can happen to a run besides its input.
public enum RunEvent {
    /// Finish the batch and end; why, in a word or two.
    case stop(String)
    /// From the next signal on decide by this.
    case reload(DecisionSource)
    /// Remove everything that there is of a subject.
    case erase(SubjectErasure)
}

/// A wish that a subject is erased, and who is told of it.
public struct SubjectErasure: Sendable {
    public let subject: String
    /// Gets whether there was anything.
    public let done: @Sendable (Result<Bool, any Error>) -> Void

    public init(_ subject: String, done: @escaping @Sendable (Result<Bool, any Error>) -> Void) {
        (self.subject, self.done) = (subject, done)
    }
}

/// Somebody who has events for a run. The run asks between two batches, and when it waits for input.
public protocol RunEvents: AnyObject {
    /// A descriptor that is readable when there is an event.
    var descriptor: Int32 { get }

    /// The next event, if there is one. Does not wait.
    func next() throws -> RunEvent?
}
