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
    /// Whether the client has said that no more comes: what it has asked for is answered all the same (RFC 8446, section 6.1).
    private var hasEnded = false
    private var isEndTold = false

    init(_ session: TLSSession) { self.session = session }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if hasEnded { return }
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
        switch step {
        case .waiting, .done: break
        case .closed: hasEnded = true
        case .failed: context.close(promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if hasEnded { tellEnd(context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { return tellEnd(context) }
        context.fireUserInboundEventTriggered(event)
    }

    /// As a connection without TLS tells of the end of its input; whichever comes first.
    private func tellEnd(_ context: ChannelHandlerContext) {
        if isEndTold { return }
        isEndTold = true
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
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
