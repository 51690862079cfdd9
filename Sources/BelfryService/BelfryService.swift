import BelfryConfiguration
import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryRuntime
import BelfryStore
import CLinux
import Logging
import ServiceLifecycle

/// `belfry serve`: the engine of `run` behind HTTP.
///
/// Requests give their signals to the intake of an engine that has a thread of its own; what comes of them is answered when it is in the
/// journal. Two listeners: the API, and management, which opens first and closes last.
public final class BelfryService: Sendable {
    let options: Options
    let limits: Configuration.Service.Limits
    let metrics = Metrics()
    let engine: ServiceEngine
    let streams: Streams
    /// Of the API.
    let connections: Connections
    /// What handlers of the API run on.
    let threads: HandlerThreads
    /// What management runs on: health is answered whatever all other tasks do.
    private let managementThreads = TaskThreads(2)
    let guardians: (api: Guardian, management: Guardian)
    let log: Logger
    /// Of the listeners.
    let listening: Logger
    let tls: TLSContext?
    /// The token that was made for this start.
    let secret: String?
    let startedAt = Instant.wallClock

    /// - Throws: `TokenFileFailure`, `JSONWebKeySetFailure`, `OpenListener`, `TLSFailure`.
    public init(_ workspace: Workspace, _ source: DecisionSource, _ options: Options) throws {
        self.options = options
        limits = workspace.configuration.service.limits
        secret = options.files.areForAnybody ? newSecret() : nil
        let callers = try Self.callers(options, secret)
        guardians = (
            Guardian(callers, at: options.listen), Guardian(callers, at: options.manage)
        )
        tls = try options.files.tlsContext
        log = Self.logger(.warning)
        // What Hummingbird says of a failure is thrown as well.
        listening = Self.logger(.critical)
        streams = Streams(limit: limits.streams)
        connections = Connections(limit: limits.connections)
        let waits = if case .postgres = options.store { true } else { false }
        threads = HandlerThreads(waits: waits)
        engine = try ServiceEngine(
            workspace, source, store: options.store, options: options.runner, shadow: options.shadow, limits: limits,
            metrics: metrics, log: log, say: options.say, deciderChanged: { [connections] in connections.closeAll() })
    }

    private static func callers(_ options: Options, _ secret: String?) throws -> Guardian.Callers {
        var callers = try options.files.callers
        if let remark = options.files.remark(on: callers) { options.say(remark) }
        guard let secret else { return callers }
        let others = [options.listen, options.manage].filter { !$0.isLocal }
        guard others.isEmpty else { throw OpenListener(addresses: others) }
        callers.tokens = [
            Token(name: Token.thisStart, role: .admin, digest: SHA256Digest(of: secret), expires: nil)
        ]
        return callers
    }

    private static func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "belfry")
        logger.logLevel = level
        return logger
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
            tasks.addTask(executorPreference: managementThreads) { [options] in
                try await Self.run(managementGroup, at: options.manage, option: "--manage")
            }
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
            tasks.addTask { [self] in
                await shutdown()
                hangups.cancel()
                try await end(apiGroup, apiEnd, managementGroup)
            }
            do {
                while try await tasks.next() != nil {}
            } catch {
                if !(error is UnfinishedWork) { try? await engine.drain(within: Self.patience) }
                tasks.cancelAll()
                throw error
            }
        }
    }

    /// What is under way has so long; then what was taken has.
    private static let patience = Swift.Duration.seconds(30)

    private func end(_ api: ServiceGroup, _ apiEnd: AsyncStream<Void>, _ management: ServiceGroup) async throws {
        SystemdNotice.send("STOPPING=1")
        engine.beginToDrain()
        await api.triggerGracefulShutdown()
        // What is under way has its time.
        for await _ in apiEnd {}
        try await engine.drain(within: Self.patience)
        await management.triggerGracefulShutdown()
    }

    private static func run(_ group: ServiceGroup, at address: SocketAddressText, option: String) async throws {
        // A socket that is there would be replaced, also where a program listens at it.
        if case .unix(let path) = address, belfry_is_listened_to(path) != 0 {
            throw ListenFailure.taken(address, option: option)
        }
        do { try await group.run() } catch {
            if let failure = ListenFailure(error, at: address, option: option) { throw failure }
            throw error
        }
    }

    private func group(of service: any Service) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(services: [service], logger: listening)
        configuration.maximumGracefulShutdownDuration = Self.patience
        return ServiceGroup(configuration: configuration)
    }
}
