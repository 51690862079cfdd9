import BelfryConfiguration
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Connections of a listener that are passed on, byte by byte, to the replica that decides; without one, they are served here.
struct RelayChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let connections: Connections
    /// Where the replica is that decides; nil if that is this one, or is not known.
    let decider: @Sendable () -> SocketAddressText?

    enum Value: ServerChildChannelValue {
        case served(Base.Value)
        case relayed(any Channel)

        var channel: any Channel {
            switch self {
            case .served(let value): value.channel
            case .relayed(let channel): channel
            }
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard let address = decider() else { return serve(channel, logger) }
        guard connections.enter(channel) else {
            return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        channel.closeFuture.whenComplete { _ in connections.leave(channel) }
        // What comes before there is anything to take it would be lost.
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        return Relay.connect(channel, to: address, connections).map { .relayed(channel) }
            // It has just ended: the client is told to come again.
            .flatMapError { _ in serve(channel, logger) }
            .always { _ in try? channel.syncOptions?.setOption(.autoRead, value: true) }
    }

    private func serve(_ channel: any Channel, _ logger: Logger) -> EventLoopFuture<Value> {
        base.setup(channel: channel, logger: logger).map { .served($0) }
    }

    func handle(value: Value, logger: Logger) async {
        switch value {
        case .served(let value): await base.handle(value: value, logger: logger)
        case .relayed(let channel): try? await channel.closeFuture.get()
        }
    }
}
