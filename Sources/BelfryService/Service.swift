import BelfryConfiguration
import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryRuntime
import BelfryStore
import CLinux
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// `belfry serve`: the engine of `run` behind HTTP.
///
/// Requests give their signals to the intake of an engine that has a thread of its own; what comes of them is answered when it is in the
/// journal. Two listeners: the API, and management, which opens first and closes last.
public final class BelfryService: Sendable {
    public struct Options: Sendable {
        public var listen: SocketAddressText
        public var manage: SocketAddressText
        /// Where other replicas reach this one; nil: as it listens.
        public var advertise: SocketAddressText?
        public var store: StoreLocation
        public var runner: Runner.Options
        public var files: ServiceFiles
        /// What decides the same besides.
        public var shadow: Shadow.Settings?
        /// Gets sentences for people.
        public var say: @Sendable (String) -> Void

        public init(
            listen: SocketAddressText, manage: SocketAddressText, store: StoreLocation, runner: Runner.Options,
            files: ServiceFiles, say: @escaping @Sendable (String) -> Void
        ) {
            (self.listen, self.manage, self.store, self.runner) = (listen, manage, store, runner)
            (self.files, self.say) = (files, say)
        }
    }

    private let options: Options
    private let limits: Configuration.Service.Limits
    private let metrics = Metrics()
    private let engine: ServiceEngine
    private let streams: Streams
    /// Of the API.
    private let connections: Connections
    /// What handlers of the API run on; nil where the store is no database of a server.
    private let threads: WaitingThreads?
    private let guardians: (api: Guardian, management: Guardian)
    private let log: Logger
    /// Of the listeners.
    private let listening: Logger
    private let tls: TLSContext?
    /// The token that was made for this start.
    private let secret: String?
    private let startedAt = Instant.wallClock

    /// - Throws: `TokenFileFailure`, `JSONWebKeySetFailure`, `OpenListener`, `TLSFailure`.
    public init(_ workspace: Workspace, _ source: DecisionSource, _ options: Options) throws {
        self.options = options
        limits = workspace.configuration.service.limits
        var callers = try options.files.callers
        secret = options.files.areForAnybody ? newSecret() : nil
        if let remark = options.files.remark(on: callers) { options.say(remark) }
        if let secret {
            let others = [options.listen, options.manage].filter { !$0.isLocal }
            guard others.isEmpty else { throw OpenListener(addresses: others) }
            callers.tokens = [
                Token(name: Token.thisStart, role: .admin, digest: SHA256Digest(of: secret), expires: nil)
            ]
        }
        guardians = (
            Guardian(callers, at: options.listen), Guardian(callers, at: options.manage)
        )
        tls = try options.files.tlsContext
        var log = Logger(label: "belfry")
        log.logLevel = .warning
        // What Hummingbird says of a failure is thrown as well.
        var listening = log
        listening.logLevel = .critical
        self.listening = listening
        self.log = log
        streams = Streams(limit: limits.streams)
        connections = Connections(limit: limits.connections)
        threads = if case .postgres = options.store { WaitingThreads() } else { nil }
        engine = try ServiceEngine(
            workspace, source, store: options.store, options: options.runner, shadow: options.shadow, limits: limits,
            metrics: metrics, log: log, say: options.say, deciderChanged: { [connections] in connections.closeAll() })
    }

    /// Serves until it is asked to end, then finishes what was accepted.
    ///
    /// - Parameter shutdown: returns when the service is to end.
    public func run(until shutdown: @escaping @Sendable () async -> Void) async throws {
        Connections.makeRoom(for: 2 * limits.connections)
        try engine.start()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            let (hasOpened, opening) = AsyncStream.makeStream(of: Void.self)
            let (apiEnd, apiEnds) = AsyncStream.makeStream(of: Void.self)
            // Each is ended by itself: the API first.
            let (managementGroup, apiGroup) = (group(of: managementListener(opening)), group(of: apiListener))
            tasks.addTask { [options] in try await Self.run(managementGroup, at: options.manage, option: "--manage") }
            tasks.addTask { [engine, options] in
                defer { apiEnds.finish() }
                // Nothing comes where management could not be opened.
                guard await hasOpened.first(where: { true }) != nil else { return }
                for await _ in engine.started {}
                try await Self.run(apiGroup, at: options.listen, option: "--listen")
            }
            let hangups = Task { [self] in await reloadOnHangup() }
            let watchdog = Watchdog(engine).map { watchdog in Task { await watchdog.run() } }
            defer { watchdog?.cancel() }
            tasks.addTask { [engine] in
                await shutdown()
                hangups.cancel()
                SystemdNotice.send("STOPPING=1")
                engine.beginToDrain()
                await apiGroup.triggerGracefulShutdown()
                // What is under way has its time.
                for await _ in apiEnd {}
                await engine.drain()
                await managementGroup.triggerGracefulShutdown()
            }
            do {
                while try await tasks.next() != nil {}
            } catch {
                await engine.drain()
                tasks.cancelAll()
                throw error
            }
        }
    }

    /// Probes of this machine find management as ever; what others reach is not to be read on the way.
    private func managementListener(_ opening: AsyncStream<Void>.Continuation) -> some ApplicationProtocol {
        listener(
            options.manage, management.routes, guardians.management, Connections(limit: limits.connections),
            options.manage.isLocal ? nil : tls, threads: nil
        ) { address, isSecure in
            opening.yield()
            return "health and metrics at \(address.url(isSecure: isSecure))"
        }
    }

    private var apiListener: some ApplicationProtocol {
        listener(
            options.listen, apiRoutes, guardians.api, connections, tls, threads: threads,
            decider: { [engine] in engine.decider },
            says: { [secret, engine, options] address, isSecure in
                engine.didOpen(at: options.advertised(address))
                return Self.greeting(address.url(isSecure: isSecure), secret)
            })
    }

    private static func run(_ group: ServiceGroup, at address: SocketAddressText, option: String) async throws {
        // A socket that is there would be replaced, also where a program listens at it.
        if case .unix(let path) = address, belfry_is_listened_to(path) != 0 {
            throw ListenFailure(
                address: address, option: option, why: String(cString: strerror(EADDRINUSE)), isTaken: true)
        }
        do {
            try await group.run()
        } catch let error as IOError {
            throw ListenFailure(
                address: address, option: option, why: String(cString: strerror(error.errnoCode)),
                isTaken: error.errnoCode == EADDRINUSE)
        } catch let error as SocketAddressError {
            throw ListenFailure(address: address, option: option, why: error.words)
        } catch let error as SocketAddressError.UnknownHost {
            throw ListenFailure(address: address, option: option, why: "there is no host '\(error.host)'")
        } catch is UnixDomainSocketPathWrongType {
            throw ListenFailure(address: address, option: option, why: "there is a file that is no socket")
        } catch let error as NIOConnectionError {
            throw ListenFailure(address: address, option: option, why: "there is no host '\(error.host)'")
        }
    }

    private func group(of service: some Service) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(services: [service], logger: listening)
        configuration.maximumGracefulShutdownDuration = .seconds(30)
        return ServiceGroup(configuration: configuration)
    }

    private func listener(
        _ address: SocketAddressText, _ routes: [Route], _ guardian: Guardian, _ connections: Connections,
        _ tls: TLSContext?, threads: WaitingThreads?, decider: @escaping @Sendable () -> SocketAddressText? = { nil },
        says: @escaping @Sendable (SocketAddressText, _ isSecure: Bool) -> String
    ) -> some ApplicationProtocol {
        let (say, metrics, signals) = (options.say, metrics, signals)
        let idle = TimeAmount.milliseconds(limits.idle.milliseconds)
        let table = RouteTable(
            routes, guardian, connections, metrics, log, rate: limits.rate.map { RateLimit($0) }, threads: threads)
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ConnectionWatch(connections, idle: idle, metrics), ContinueHandler(),
                RequestWatch(idle: idle, metrics, inputEnded: connections.noteEnd),
                BoundedSignalHandler(table, signals),
            ],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 100))
        return Application(
            responder: table,
            server: HTTPServerBuilder { responder in
                let plain = HTTP1Channel(responder: responder, configuration: channel)
                guard let tls else { return RelayChannel(base: plain, connections: connections, decider: decider) }
                let secret = TLSChannel(base: plain, context: tls)
                return RelayChannel(base: secret, connections: connections, decider: decider)
            },
            configuration: ApplicationConfiguration(address: address.bindAddress, reuseAddress: true),
            onServerRunning: { channel in
                say(says(address.with(port: channel.localAddress?.port), tls != nil))
            }, logger: listening)
    }

    private static func greeting(_ url: String, _ secret: String?) -> String {
        SystemdNotice.send("READY=1")
        guard let secret else { return "listening at \(url)" }
        return
            "listening at \(url)\nopen \(url)/#token=\(secret)\nthe token is for this start; 'belfry tokens new' makes others"
    }

    // MARK: Routes

    private var signals: SignalRoutes { SignalRoutes(engine: engine, metrics: metrics, limits: limits) }

    private var apiRoutes: [Route] {
        signals.routes
            + DecisionRoutes(engine: engine, streams: streams).routes
            + PageRoutes.routes + SubjectRoutes(engine: engine, limits: limits).routes
            + SinkRoutes(engine: engine).routes + ShadowRoutes(engine: engine).routes
            + [Route(.get, "/v1/status", .read) { [management] _ in Response(json: management.status) }]
            + FlagRoutes(engine: engine, limits: limits).routes
            + ConfigurationRoutes(engine: engine, reload: Reload(engine: engine, metrics: metrics), limits: limits)
            .routes
            + SilenceRoutes(engine: engine, limits: limits, startedAt: startedAt).routes
    }

    private var management: ManagementRoutes {
        ManagementRoutes(
            engine: engine, metrics: metrics, streams: streams, connections: connections, startedAt: startedAt,
            reload: reload)
    }

    /// SIGHUP asks for that.
    private func reloadOnHangup() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup) {
            let former = engine.workspace
            do {
                let waiting = try await reload().map?["restart"]?.list?.compactMap(\.text) ?? []
                let note = waiting.isEmpty ? "" : "; after a restart also \(waiting.joined(separator: ", "))"
                // There may be nothing but new tokens, or a new certificate.
                let change = ConfigurationChange(from: former, to: engine.workspace)
                options.say("reloaded" + (change.isEmpty ? "" : ": \(change)") + note)
            } catch {
                // The service ends.
                if Task.isCancelled { return }
                let found = (error as? Problem)?.found
                options.say("\(found ?? "\(error)")\nthe former configuration stays in force")
            }
        }
    }

    /// Has tokens, certificate and configuration read anew, in that order; each is in force when it can be used.
    @Sendable private func reload() async throws -> Value {
        let next = Reload(engine: engine, metrics: metrics)
        do {
            try takeSecrets()
        } catch {
            next.refuse()
            throw error
        }
        return try await next.run()
    }

    private func takeSecrets() throws {
        if !options.files.areForAnybody {
            let callers: Guardian.Callers
            do { callers = try options.files.callers } catch { throw Reload.problem(error) }
            if let path = options.files.empty(callers) {
                throw Problem(
                    .unprocessableContent, "invalid-configuration", "the tokens cannot be used; the former ones stay",
                    found: "there is no token in '\(path)', so every call would be refused",
                    fix: "belfry tokens new NAME --role admin, and reload again")
            }
            guardians.api.take(callers)
            guardians.management.take(callers)
        }
        do { try tls?.renew() } catch { throw Reload.problem(error) }
    }
}

extension BelfryService.Options {
    /// Where other replicas reach one that listens at an address: as configured, else there, with the name of the machine where it is all of
    /// its addresses.
    fileprivate func advertised(_ address: SocketAddressText) -> SocketAddressText {
        if let advertise { return advertise }
        guard case .network(let host, let port) = address, ["0.0.0.0", "::"].contains(host) else { return address }
        return .network(host: machineName, port: port)
    }
}

extension SocketAddressText {
    fileprivate var bindAddress: BindAddress {
        switch self {
        case .network(let host, let port): .hostname(host, port: port)
        case .unix(let path): .unixDomainSocket(path: path)
        }
    }

    /// - Parameter port: the one that was free, where any would do.
    fileprivate func with(port: Int?) -> SocketAddressText {
        guard let port, case .network(let host, _) = self else { return self }
        return .network(host: host, port: port)
    }

    fileprivate func url(isSecure: Bool) -> String {
        if case .unix = self { return description }
        return "http\(isSecure ? "s" : "")://\(self)"
    }
}

/// An address at which nothing can be listened to.
struct ListenFailure: Error, CustomStringConvertible {
    let address: SocketAddressText
    let option: String
    let why: String
    /// Whether another program listens there.
    var isTaken = false

    var description: String {
        """
        cannot listen at '\(address)'
          why: \(why)
          fix: \(isTaken ? "end the program that listens there, or name" : "name") another address with \(option)
        """
    }
}

extension SocketAddressError {
    fileprivate var words: String {
        switch self {
        case .unixDomainSocketPathTooLong: "the path is longer than the system takes, which is 107 bytes"
        case .unknown(let host, _): "there is no host '\(host)'"
        case .unsupported, .failedToParseIPString: "it is no address that the system knows"
        }
    }
}

/// A listener that others get to, and nothing that tells them from one another.
public struct OpenListener: Error, CustomStringConvertible {
    let addresses: [SocketAddressText]

    public var description: String {
        """
        cannot listen at \(addresses.map { "'\($0)'" }.joined(separator: " and ")) without tokens
          why: others than this machine get there, and a token that is made for a start is for this machine
          fix: name a file in the configuration, serve: { tokens: tokens.yaml }, and make tokens: belfry tokens new NAME --role admin
        """
    }
}

private var machineName: String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
