/// What decisions, and what is forwarded, leave through besides the output, at a pace of its own: the sinks. It reads them from the journal.
public protocol Outlet: AnyObject, Sendable {
    /// There may be more decisions in the journal. Does not wait.
    func ring()

    /// The last entry of the journal of which it needs nothing any more.
    var entry: UInt64 { get }

    /// A subject was erased: what was read of it does not leave any more.
    ///
    /// - Throws: something that is kept may have it still.
    func forget(_ subject: String) throws

    /// The same for one that may have a store of its own, from which the subject is erased, too. It answers once that is done, on any thread.
    func erase(_ erasure: SubjectErasure)
}

/// A subject was erased, but for what an outlet keeps.
public struct PartialErasure: Error, CustomStringConvertible {
    public let failure: any Error

    public var description: String { "what was not delivered may have the subject still: \(failure)" }
}

extension Outlet {
    public func erase(_ erasure: SubjectErasure) {
        erasure.done(
            Result {
                do { try forget(erasure.subject) } catch {
                    throw error as? PartialErasure ?? PartialErasure(failure: error)
                }
                return false
            })
    }
}

extension [any Outlet] {
    /// All of them do, also where one cannot.
    ///
    /// - Throws: `PartialErasure`.
    package func forget(_ subject: String) throws(PartialErasure) {
        let failures = compactMap { outlet in Result { try outlet.forget(subject) }.failure }
        if let failure = failures.first { throw PartialErasure(failure: failure) }
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
