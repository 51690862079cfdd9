import Glibc
import HTTPTypes
import Hummingbird
import Logging

/// The routes of a listener, and what all their answers have in common.
struct RouteTable: HTTPResponder {
    typealias Context = ServiceContext

    let routes: [Route]
    let guardian: Guardian
    let metrics: Metrics
    /// Nil: callers may come as often as they like.
    var rate: RateLimit?

    func respond(to request: Request, context: ServiceContext) async throws -> Response {
        var response: Response
        let start = ContinuousClock.now
        // What no route takes is not told apart: there may be any number of such paths.
        var route = "none"
        do {
            response = try await answer(request, context, &route)
        } catch let problem as Problem {
            if let limit = problem.limit { metrics.add(1, to: Metrics.limits, limit) }
            response = problem.response(at: request.uri.path)
        } catch {
            // A caller that goes away in the middle of a body is no fault of the service, and anybody could fill its log by that.
            if !context.isGone { log(error, of: request, context.logger) }
            response =
                Problem(.internalServerError, "internal", "the service could not do it", found: "\(error)")
                .response(at: request.uri.path)
        }
        for (name, value) in Self.headers where response.headers[name] == nil { response.headers[name] = value }
        metrics.countRequest(request.method.rawValue, response.status.code)
        if route != "none" {
            metrics.add(
                (ContinuousClock.now - start) / .seconds(1), to: Metrics.requestSeconds, request.method.rawValue, route,
                String(response.status.code))
        }
        return response
    }

    private func log(_ error: any Error, of request: Request, _ logger: Logger) {
        var metadata: Logger.Metadata = ["error": "\(error)", "path": "\(request.uri.path)"]
        let trace = request.headers[TraceContext.field].flatMap(TraceContext.init)
        metadata.merge(trace?.metadata ?? [:]) { $1 }
        logger.error("a request failed", metadata: metadata)
    }

    /// - Parameter name: becomes the path of the route that takes it.
    private func answer(_ request: Request, _ context: Context, _ name: inout String) async throws -> Response {
        try guardian.checkOrigin(of: request)
        let segments = try Self.segments(of: request.uri.path)
        let matches = routes.compactMap { route in route.match(segments).map { (route, $0) } }
        if matches.isEmpty { throw Self.unknown(request.uri.path) }
        let method = request.method == .head ? .get : request.method
        guard let (route, parameters) = matches.first(where: { $0.0.method == method }) else {
            throw Self.notAllowed(request.method, matches.map(\.0.method))
        }
        name = route.name
        let caller = try await caller(of: request, context, as: route.role)
        let call = Call(request: request, parameters: parameters, caller: caller)
        guard let rate, let caller else { return try await route.handler(call) }
        let allowance = rate.take(caller)
        guard allowance.isGranted else { throw allowance.problem }
        var response = try await route.handler(call)
        for (name, value) in allowance.headers { response.headers[name] = value }
        return response
    }

    /// Nil where anybody may call. Over a unix socket the user of the service needs no token: the system says who calls.
    private func caller(of request: Request, _ context: Context, as role: Role?) async throws -> String? {
        guard let role else { return nil }
        if request.headers[.authorization] == nil, let user = await context.user, user == getuid() || user == 0 {
            return "uid \(user)"
        }
        return try guardian.caller(of: request, as: role)
    }

    /// The parts of a path, with what is encoded decoded: an id may have a slash in it.
    private static func segments(of path: String) throws -> [String] {
        try path.split(separator: "/").map { part in
            guard let text = part.removingURLPercentEncoding() else {
                throw Problem(
                    .badRequest, "invalid-path", "the path cannot be decoded", found: String(part),
                    expected: "UTF-8, percent-encoded", fix: "encode the id that it has")
            }
            return text
        }
    }

    private static func unknown(_ path: String) -> Problem {
        Problem(
            .notFound, "not-found", "there is nothing at this path", found: path,
            fix: "/openapi.yaml of the service says what there is")
    }

    private static func notAllowed(_ method: HTTPRequest.Method, _ others: [HTTPRequest.Method]) -> Problem {
        var allowed = Set(others.map(\.rawValue))
        if allowed.contains("GET") { allowed.insert("HEAD") }
        let list = allowed.sorted().joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "method-not-allowed", "this path has no \(method.rawValue)", found: method.rawValue,
            expected: list, fix: "use one of them"
        ).with(.allow, list)
    }

    /// The page is one file, and nobody is to put it into a frame or to load anything from elsewhere into it.
    private static let headers: [(HTTPField.Name, String)] = [
        (HTTPField.Name("Content-Security-Policy")!, "default-src 'none'; frame-ancestors 'none'"),
        (HTTPField.Name("X-Content-Type-Options")!, "nosniff"),
        (HTTPField.Name("Referrer-Policy")!, "no-referrer"),
        (.cacheControl, "no-store"),
    ]
}
