import BelfryEngine

/// What is forwarded and where to, with the values of variables.
struct ForwardSettings: Sendable {
    var options: Configuration.Forward

    var endpoint: HTTPEndpoint { HTTPEndpoint(options.url, headers: options.headers, timeout: options.timeout) }
}
