import BelfryCore
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// The routes of a listener, and what all their answers have in common.
struct RouteTable: Sendable {
    private let routes: [Route]
    /// Those without parameters, by their path.
    private let plain: [String: [Route]]
    private let guardian: Guardian
    private let connections: Connections
    private let metrics: Metrics
    private let log: Logger
    private let rate: RateLimit?
    private let threads: HandlerThreads?

    /// - Parameters:
    ///   - rate: nil: callers may come as often as they like.
    ///   - threads: what handlers run on; nil: where `answer` runs.
    init(
        _ routes: [Route], _ guardian: Guardian, _ connections: Connections, _ metrics: Metrics, _ log: Logger,
        rate: RateLimit?, threads: HandlerThreads?
    ) {
        (self.routes, self.guardian, self.connections) = (routes, guardian, connections)
        (self.metrics, self.log, self.rate, self.threads) = (metrics, log, rate, threads)
        plain = Dictionary(grouping: routes.filter { !$0.path.contains(nil) }, by: \.name)
    }

    /// Answers a request that came over `channel`.
    @Sendable func answer(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        var (response, date) = (await response(to: request, over: channel), DateField())
        response.headers[.date] = date.now
        do { try await writer.write(response: response.head, body: response.body) } catch is HTTPParserError {
            // Of the body, which is read while the answer is written: there is to be no second answer.
            throw ChannelError.inputClosed
        }
    }

    private func response(to request: Request, over channel: any Channel) async -> Response {
        var visit = Visit(of: request)
        var response: Response
        do {
            let user = request.headers[.authorization] == nil ? await channel.user : nil
            let (route, admitted) = try admit(request, user: user, &visit)
            var call = admitted
            call.hasHungUp = { [connections] in connections.haveEnd(of: channel) }
            if request.headers.contains(.expect) { call.sendContinue = channel.sendContinue }
            call.isStillAllowed = { (try? caller(of: request.head, user, as: route.role)) == admitted.caller }
            let threads = threads?[route]
            response = try await withTaskExecutorPreference(threads) { [call] in try await route.handler(call) }
            if let threads { response.body = response.body.written(on: threads) }
        } catch {
            response = Response(reply(to: error, isGone: !channel.isActive, request, visit))
        }
        finish(&response.headers, response.status, visit)
        // That of a stream says that it has no body: without a length, one in chunks would follow.
        return visit.method == .head ? response.createHeadResponse() : response
    }

    /// What all answers have in common, and what is counted of them.
    func finish(_ headers: inout HTTPFields, _ status: HTTPResponse.Status, _ visit: Visit) {
        for (name, value) in visit.allowance?.headers ?? [] { headers[name] = value }
        for field in Self.headers where !headers.contains(field.name) { headers.append(field) }
        metrics.countRequest(visit.method.rawValue, status.code)
        guard visit.route != "none" else { return }
        metrics.add(
            visit.seconds, to: Metrics.requestSeconds, visit.method.rawValue, visit.route, String(status.code))
    }

    /// The answer to a request that was not done.
    ///
    /// - Parameter isGone: whether the client has closed the connection.
    func reply(to error: any Error, isGone: Bool, _ request: Request, _ visit: Visit) -> Reply {
        if let problem = error as? Problem ?? Problem(ofStore: error) {
            if let limit = problem.limit { metrics.add(1, to: Metrics.limits, limit) }
            return problem.reply(at: visit.path)
        }
        if error is HTTPParserError { return Problem.malformed.reply(at: visit.path) }
        // A caller that goes away in the middle of a body is no fault of the service, and any caller could fill its log by that.
        if !isGone { note(error, of: request) }
        if let failure = error as? RecordFailure { return Problem(of: failure).reply(at: visit.path) }
        return Problem(.internalServerError, "internal", "the service could not do it", found: "\(error)")
            .reply(at: visit.path)
    }

    private func note(_ error: any Error, of request: Request) {
        var metadata: Logger.Metadata = ["error": "\(error)", "path": "\(request.uri.path)"]
        let trace = request.headers[TraceContext.field].flatMap(TraceContext.init)
        metadata.merge(trace?.metadata ?? [:]) { $1 }
        log.error("a request failed", metadata: metadata)
    }

    /// Finds the route of a request, and whether its caller may take it.
    ///
    /// - Parameter user: at the other end of a unix socket.
    /// - Throws: a problem if not.
    func admit(_ request: Request, user: uid_t?, _ visit: inout Visit) throws -> (Route, Call) {
        try request.head.checkFraming()
        try guardian.checkOrigin(of: request.head)
        let matches = try matches(of: visit.path)
        if matches.isEmpty { throw Self.unknown(visit.path) }
        let method = visit.method == .head ? .get : visit.method
        guard let (route, parameters) = matches.first(where: { $0.0.method == method }) else {
            throw Self.notAllowed(visit.method, matches.map(\.0.method))
        }
        visit.route = route.name
        let caller = try caller(of: request.head, user, as: route.role)
        if let rate, let caller {
            let allowance = rate.take(caller)
            guard allowance.isGranted else { throw allowance.problem }
            visit.allowance = allowance
        }
        return (route, Call(request: request, parameters: parameters, caller: caller))
    }

    /// The routes that a path is of, with the parameters that it has for them.
    private func matches(of path: String) throws -> [(Route, [String])] {
        if let routes = plain[path] { return routes.map { ($0, []) } }
        let segments = try Self.segments(of: path)
        return routes.compactMap { route in route.match(segments).map { (route, $0) } }
    }

    /// Nil where any caller may call. Over a unix socket the user of the service needs no token: the system says who calls.
    private func caller(of head: HTTPRequest, _ user: uid_t?, as role: Role?) throws -> String? {
        guard let role else { return nil }
        if let user, user == getuid() || user == 0 { return "uid \(user)" }
        return try guardian.caller(of: head, as: role)
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

    /// What every answer has. The page is one file: it is not to be put into a frame, and nothing from elsewhere is to be loaded into it.
    static let headers = [
        HTTPField(
            name: HTTPField.Name("Content-Security-Policy")!, value: "default-src 'none'; frame-ancestors 'none'"),
        HTTPField(name: HTTPField.Name("X-Content-Type-Options")!, value: "nosniff"),
        HTTPField(name: HTTPField.Name("Referrer-Policy")!, value: "no-referrer"),
        HTTPField(name: .cacheControl, value: "no-store"),
    ]
}

extension ResponseBody {
    /// The same, where what it is made of while it is written is read on those threads.
    fileprivate func written(on threads: TaskThreads) -> ResponseBody {
        if contentLength != nil { return self }
        return ResponseBody { writer in
            let writer = writer
            try await withTaskExecutorPreference(threads) { try await write(writer) }
        }
    }
}
