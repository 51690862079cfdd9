import BelfryCore
import BelfryDelivery
import BelfryRuntime
import BelfryStore

extension Workspace {
    /// Where things are forwarded to; nil if nowhere.
    ///
    /// - Throws: `ConfigurationFailure` if the environment lacks something.
    func endpoint() throws -> HTTPEndpoint? {
        try configuration.forward.map { forward in
            HTTPEndpoint(forward.url, headers: try forwardHeaders(), timeout: forward.timeout)
        }
    }

    func forwarder(to endpoint: HTTPEndpoint?, store: OpenStore) throws -> Forwarder? {
        guard let forward = configuration.forward, let endpoint else { return nil }
        if !store.isDurable { Console.warn("what is not forwarded when the run ends is lost: the store is in memory") }
        return try Forwarder(
            forward, source: configuration.app, journal: store.journal, endpoint: endpoint, say: { Console.say($0) })
    }
}

extension Forwarder {
    /// Sends what is left, and tells what could not be sent.
    func end(isDurable: Bool) -> ForwardStatus {
        let status = finish()
        if let leftovers = status.leftovers(isDurable: isDurable) { Console.warn(leftovers) }
        return status
    }
}
