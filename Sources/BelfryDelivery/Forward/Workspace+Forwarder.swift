import BelfryCore
import BelfryEngine
import BelfryJournal
import BelfryRuntime

extension Workspace {
    /// Where things are forwarded to; nil if nowhere.
    ///
    /// - Throws: `ConfigurationFailure` if the environment lacks something.
    public func endpoint() throws -> HTTPEndpoint? {
        try configuration.forward.map { forward in
            HTTPEndpoint(forward.url, headers: try forwardHeaders(), timeout: forward.timeout)
        }
    }

    /// Forwards what the journal has for the endpoint; nil if there is none.
    ///
    /// - Parameter say: gets sentences for people, on any thread.
    public func forwarder(
        to endpoint: HTTPEndpoint?, _ journal: Journal, say: @escaping @Sendable (String) -> Void
    ) throws -> Forwarder? {
        guard let forward = configuration.forward, let endpoint else { return nil }
        return try Forwarder(forward, source: configuration.app, journal: journal, endpoint: endpoint, say: say)
    }
}
