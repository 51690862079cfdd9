import NIOCore
import NIOHTTP1

/// Answers a request in HTTP/1.0 so that its client can read the answer: without chunks, up to the end of the connection (RFC 9112, section 6.3).
///
/// What follows in the pipeline does not know the version of a request. One event loop has it.
final class HTTP10Handler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// How many requests have come, and are not answered.
    private var open = 0
    /// How many of them are answered before the one in HTTP/1.0; nil: there is none.
    private var before: Int?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        open += 1
        guard head.version == .http1_0 else { return context.fireChannelRead(data) }
        before = before ?? open - 1
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        // It need not say whom it is for (RFC 9112, section 3.3): then it is for this service, by a name that each listener has.
        if !head.headers.contains(name: "Host") { head.headers.add(name: "Host", value: "localhost") }
        // Such a client does not know the answer 100 (RFC 9110, section 10.1.1).
        head.headers.remove(name: "Expect")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where before == 0:
            // By nothing else the encoder leaves out chunks: a body without a length then goes up to the end.
            head.version = .http1_0
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            open = max(0, open - 1)
            before = before.map { $0 - 1 }
        default: break
        }
        context.write(data, promise: promise)
    }
}
