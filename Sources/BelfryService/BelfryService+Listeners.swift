import BelfryConfiguration
import HummingbirdCore
import NIOCore
import NIOPosix
import ServiceLifecycle

extension BelfryService {
    /// Probes of this machine find management as ever; what others reach is not to be read on the way.
    func managementListener(_ opening: AsyncStream<Void>.Continuation) -> any Service {
        listener(
            options.manage, management.routes, guardians.management, Connections(limit: limits.connections),
            options.manage.isLocal ? nil : tls, threads: nil
        ) { address, isSecure in
            opening.yield()
            return "health and metrics at \(address.url(isSecure: isSecure))"
        }
    }

    var apiListener: any Service {
        listener(
            options.listen, apiRoutes, guardians.api, connections, tls, threads: threads,
            decider: { [engine] in engine.decider },
            says: { [secret, engine, options] address, isSecure in
                engine.didOpen(at: options.advertised(address))
                return Self.greeting(address.url(isSecure: isSecure), secret)
            })
    }

    private func listener(
        _ address: SocketAddressText, _ routes: [Route], _ guardian: Guardian, _ connections: Connections,
        _ tls: TLSContext?, threads: HandlerThreads?, decider: @escaping @Sendable () -> SocketAddressText? = { nil },
        says: @escaping @Sendable (SocketAddressText, _ isSecure: Bool) -> String
    ) -> any Service {
        let table = RouteTable(
            routes, guardian, connections, metrics, log, rate: limits.rate.map { RateLimit($0) }, threads: threads)
        let says = { @Sendable address in says(address, tls != nil) }
        let plain = HTTP10Channel(
            base: HTTP1Channel(responder: table.answer, configuration: channel(to: table, connections)))
        guard let tls else {
            return server(address, RelayChannel(base: plain, connections: connections, decider: decider), says)
        }
        let secret = TLSChannel(base: plain, context: tls)
        return server(address, RelayChannel(base: secret, connections: connections, decider: decider), says)
    }

    /// Hummingbird's `Application` would run its cache of the date beside: a merge of sequences (swift-async-algorithms 1.1), which holds a
    /// lock where its task may change threads, and takes that lock where the task is cancelled. On threads that management prefers both
    /// could wait for each other, for ever, when the address cannot be had.
    private func server(
        _ address: SocketAddressText, _ channel: some ServerChildChannel,
        _ says: @escaping @Sendable (SocketAddressText) -> String
    ) -> any Service {
        channel.server(
            configuration: ServerConfiguration(address: address.bindAddress),
            onServerRunning: { [options] channel in
                options.say(says(address.with(port: channel.localAddress?.port)))
            }, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: listening)
    }

    private func channel(to table: RouteTable, _ connections: Connections) -> HTTP1Channel.Configuration {
        let (metrics, signals, idle) = (metrics, signals, TimeAmount.milliseconds(limits.idle.milliseconds))
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ConnectionWatch(connections, idle: idle, metrics), ContinueHandler(),
                RequestWatch(idle: idle, metrics, inputEnded: connections.noteEnd),
                BoundedSignalHandler(table, signals),
            ],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 100))
    }

    private static func greeting(_ url: String, _ secret: String?) -> String {
        SystemdNotice.send("READY=1")
        guard let secret else { return "listening at \(url)" }
        return
            "listening at \(url)\nopen \(url)/#token=\(secret)\nthe token is for this start; 'belfry tokens new' makes others"
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
