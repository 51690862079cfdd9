import BelfryCore
import BelfryEngine

/// What is forwarded and where to, with the values of variables.
struct ForwardSettings: Sendable {
    var options: Configuration.Forward

    /// Nil if nothing is forwarded.
    ///
    /// - Throws: `ConfigurationFailure` for every variable that is not set, or empty.
    init?(of workspace: Workspace, environment: [String: String]) throws {
        guard let forward = workspace.configuration.forward else { return nil }
        options = forward
        options.headers = try workspace.forwardHeaders(environment: environment)
    }

    var endpoint: HTTPEndpoint { HTTPEndpoint(options.url, headers: options.headers, timeout: options.timeout) }
}
