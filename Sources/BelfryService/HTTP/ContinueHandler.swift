import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Tells a client that waits for it to send its body (RFC 9110, `Expect`), once the body is wanted. Where the answer comes without that, it is
/// not known whether the body will still come: the connection ends.
///
/// One event loop has it.
final class ContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How many requests have come, and are not answered.
    private var open = 0
    /// Whether the client of the last one waits, and has not gone on by itself.
    private var isWaiting = false
    /// Whether the connection ends behind the answer that leaves.
    private var isLast = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            open += 1
            isWaiting = head.headerFields.value(.expect)?.lowercased() == "100-continue"
        } else {
            isWaiting = false
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let waits = isWaiting && open == 1
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status == .continue:
            guard waits else { return promise?.succeed() ?? () }
            isWaiting = false
        case .head(var head) where waits:
            (isWaiting, isLast) = (false, true)
            head.headerFields[.connection] = "close"
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            open = max(0, open - 1)
            guard isLast else { break }
            // A close would cut off what a slow client has not taken yet.
            let sent = promise ?? context.eventLoop.makePromise()
            sent.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
            return context.writeAndFlush(data, promise: sent)
        default: break
        }
        context.write(data, promise: promise)
    }
}

extension Channel {
    /// Says to a client that waits for it that its body is wanted.
    func sendContinue() { writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil) }
}
