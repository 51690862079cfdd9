import BelfryConfiguration
import NIOCore
import NIOPosix

/// One end of a connection that is passed on: what it reads the other one writes, as fast as that goes.
final class Relay: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Whether it is the end of the client.
    private let isNear: Bool
    private var context: ChannelHandlerContext?
    private var other: Relay?
    /// Whether this end is to read as soon as the other one can write.
    private var wantsToRead = false
    /// Whether anything has come since the last look at it.
    private var isBusy = false
    /// Whether the client was the last from whom anything came.
    private var waitsForAnswer = false
    /// Tells the listener's `Connections` that bytes passed, and whether the client now waits for an answer; nil on the far end, which it
    /// does not count.
    private let noteUse: ((_ isWaiting: Bool) -> Void)?
    /// How long nothing may come when the service ends, or when the other end has nothing more to say.
    private static let patience = TimeAmount.seconds(1)

    private init(isNear: Bool, noteUse: ((_ isWaiting: Bool) -> Void)? = nil) {
        (self.isNear, self.noteUse) = (isNear, noteUse)
    }

    /// Connects to `address`, and passes on what comes on a connection from there on, which is not read until then. Both are in one event loop.
    static func connect(
        _ channel: any Channel, to address: SocketAddressText, _ connections: Connections
    ) -> EventLoopFuture<Void> {
        let bootstrap = ClientBootstrap(group: channel.eventLoop)
            .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .channelOption(ChannelOptions.autoRead, value: false)
            .channelOption(ChannelOptions.socketOption(.so_keepalive), value: 1)
            .connectTimeout(.seconds(2))
        let target =
            switch address {
            case .network(let host, let port): bootstrap.connect(host: host, port: port)
            case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        return target.flatMapThrowing { target in
            do { try join(channel, target, connections) } catch {
                // The client has gone meanwhile.
                target.close(promise: nil)
                throw error
            }
        }
    }

    private static func join(_ channel: any Channel, _ target: any Channel, _ connections: Connections) throws {
        let near = Relay(isNear: true) { [unowned channel] in connections.note(channel, isBusy: $0) }
        let far = Relay(isNear: false)
        (near.other, far.other) = (far, near)
        try channel.pipeline.syncOperations.addHandler(near)
        try target.pipeline.syncOperations.addHandler(far)
        try target.syncOptions?.setOption(.autoRead, value: true)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { (self.context, other) = (nil, nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        note(answerIsOwed: isNear)
        other?.note(answerIsOwed: isNear)
        other?.context?.write(data, promise: nil)
    }

    private func note(answerIsOwed: Bool) {
        (isBusy, waitsForAnswer) = (true, answerIsOwed)
        // Without a context its channel is gone.
        if context != nil { noteUse?(answerIsOwed) }
    }

    func channelReadComplete(context: ChannelHandlerContext) { other?.context?.flush() }

    func read(context: ChannelHandlerContext) {
        wantsToRead = other?.context?.channel.isWritable != true
        if !wantsToRead { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { other?.readOn() }
    }

    /// The other end can write.
    private func readOn() {
        guard wantsToRead, let context else { return }
        wantsToRead = false
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) { other?.context?.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            other?.context?.close(mode: .output, promise: nil)
            // A client may be silent and wait; for the service that decides nothing is left to do.
            if !isNear { closeWhenIdle(context) }
        case is ChannelShouldQuiesceEvent: closeWhenIdle(context)
        default: break
        }
    }

    /// Closes both ends when nothing has come for a while, and no answer is owed.
    private func closeWhenIdle(_ context: ChannelHandlerContext) {
        isBusy = false
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { [self] in
            guard let context = self.context else { return }
            let goesOn = isBusy || (isNear && waitsForAnswer)
            if goesOn { closeWhenIdle(context) } else { context.close(promise: nil) }
        }
    }
}
