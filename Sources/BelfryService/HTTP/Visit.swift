import HTTPTypes
import Hummingbird

/// A request on its way through a listener: what its answer and the metrics need to know of it.
struct Visit: Sendable {
    let method: HTTPRequest.Method
    let path: String
    /// The path of the route that takes it. What no route takes is not told apart: there may be any number of such paths.
    var route = "none"
    /// How often its caller may still call.
    var allowance: RateLimit.Allowance?
    private let start = ContinuousClock.now

    init(of request: Request) { (method, path) = (request.method, request.uri.path) }

    /// How long it has taken until now, in s.
    var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }
}
