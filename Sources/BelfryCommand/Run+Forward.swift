import BelfryCore
import BelfryDelivery
import BelfryRuntime

extension Workspace {
    func forwarder(to endpoint: HTTPEndpoint?, store: OpenStore) throws -> Forwarder? {
        if endpoint != nil, !store.isDurable {
            Console.warn("what is not forwarded when the run ends is lost: the store is in memory")
        }
        return try forwarder(to: endpoint, store.journal) { Console.say($0) }
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
