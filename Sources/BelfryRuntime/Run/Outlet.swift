/// What decisions, and what is forwarded, leave through besides the output, at a pace of its own: the sinks. It reads them from the journal.
public protocol Outlet: AnyObject, Sendable {
    /// There may be more decisions in the journal. Does not wait.
    func ring()

    /// The last entry of the journal of which it needs nothing any more.
    var entry: UInt64 { get }

    /// A subject was erased: what was read of it does not leave any more.
    func forget(_ subject: String)
}
