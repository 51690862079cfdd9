/// What can happen to a run besides its input.
public enum RunEvent: Sendable {
    /// Finish the batch and end; why, in a word or two.
    case stop(String)
    /// From the next signal on decide by this.
    case reload(DecisionSource)
    /// The same, by what differs in its silences alone.
    case silence(DecisionSource)
    /// Decide these besides the input, as lines of JSON without their ends.
    case signals([[UInt8]])
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

    /// Has all of them erase the subject, one after the other, and answers when the last one has.
    ///
    /// - Parameter former: what came of it elsewhere. One that fails keeps no other from it.
    func carryOut(in outlets: ArraySlice<any Outlet>, after former: Result<Bool, any Error>) {
        guard let next = outlets.first else { return done(former) }
        let erasure = SubjectErasure(subject) { result in
            let all = Result { try [former, result].map { try $0.get() }.contains(true) }
            carryOut(in: outlets.dropFirst(), after: all)
        }
        next.erase(erasure)
    }
}

/// A source of events for a run. The run asks between two batches, and when it waits for input.
public protocol RunEvents: AnyObject {
    /// A descriptor that is readable when there is an event.
    var descriptor: Int32 { get }

    /// The next event, if there is one. Does not wait.
    func next() throws -> RunEvent?

    /// The run has begun. By default nothing.
    ///
    /// - Parameter records: those that changed last, as they are committed; may be called on any thread.
    func runBegan(_ records: @escaping RecentRecords)
}

extension RunEvents {
    public func runBegan(_ records: @escaping RecentRecords) {}
}

/// So many records that changed last, as they are stored or are to be.
public typealias RecentRecords = @Sendable (_ limit: Int) throws -> [(subject: String, bytes: [UInt8])]

extension OpenStore {
    /// Of a durable store: also what is in its journal only.
    public var recentRecords: RecentRecords {
        { [self] limit in
            let store = try JournaledStore(of: self)
            return try store.subjects(changedLast: limit).compactMap { subject in
                try store.record(for: subject).map { (subject, $0) }
            }
        }
    }
}
