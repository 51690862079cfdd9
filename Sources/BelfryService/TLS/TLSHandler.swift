import NIOCore

/// TLS on a connection that was accepted: bytes of HTTP on one side, of TLS on the other.
///
/// One event loop has it.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let session: TLSSession
    private var isOpen = false

    init(_ session: TLSSession) { self.session = session }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        session.receive(unwrapInboundIn(data))
        if !isOpen {
            let step = session.shakeHands()
            // Also an alert that says what is wrong.
            send(context)
            guard step == .done else {
                if step != .waiting { context.close(promise: nil) }
                return
            }
            isOpen = true
        }
        var plain = context.channel.allocator.buffer(capacity: 0)
        let step = session.read(into: &plain)
        if plain.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(plain)) }
        send(context)
        if step != .waiting { context.close(promise: nil) }
    }

    private func send(_ context: ChannelHandlerContext) {
        guard let bytes = session.takeOutput(context.channel.allocator) else { return }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard session.write(unwrapOutboundIn(data)) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return context.close(promise: nil)
        }
        let bytes = session.takeOutput(context.channel.allocator) ?? ByteBuffer()
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input {
            session.end()
            send(context)
        }
        context.close(mode: mode, promise: promise)
    }
}
