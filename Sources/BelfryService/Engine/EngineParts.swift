import BelfryDelivery
import BelfryRuntime

/// What an engine has as long as its store is open.
struct EngineParts: Sendable {
    let store: OpenStore
    let intake: SignalIntake
    let answers: SignalAnswers
    let requests: RequestLog
    let sinks: Sinks
    let shadow: Shadow?
    /// Whether the store can be opened again when it was closed.
    let closes: Bool

    /// Lets go of the store. Sinks deliver first what they can in a moment; the next start, or another replica, goes on.
    ///
    /// - Parameter goesOn: whether it is opened again at once.
    func end(goesOn: Bool) {
        sinks.finish(atMost: goesOn || store.isShared ? .zero : .seconds(10))
        shadow?.end(catchesUp: false)
        if closes { store.close() }
    }
}
