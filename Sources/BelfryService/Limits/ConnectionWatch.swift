import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends connections that nothing comes of: one too many, one that is silent between two requests, and one whose client does not read its
/// answer.
///
/// One event loop has it.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// So long a client may take nothing of its answer, and one that is refused may take to ask.
    private static let patience = TimeAmount.seconds(30)

    private let connections: Connections
    private let idle: TimeAmount
    private let metrics: Metrics
    private var isRefused = false
    private var isBusy = false
    /// How many requests have begun to come, and are not answered: an answer may leave before its request has come as a whole.
    private var open = 0
    private let silence = Deadline()
    private let stall = Deadline()

    init(_ connections: Connections, idle: TimeAmount, _ metrics: Metrics) {
        (self.connections, self.idle, self.metrics) = (connections, idle, metrics)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        isRefused = !connections.enter(context.channel)
        awaitRequest(context, isRefused ? Self.patience : idle)
    }

    func channelInactive(context: ChannelHandlerContext) {
        silence.end()
        stall.end()
        connections.leave(context.channel)
        context.fireChannelInactive()
    }

    private func awaitRequest(_ context: ChannelHandlerContext, _ time: TimeAmount) {
        silence.set(in: time, context) { context.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            silence.clear()
            open += 1
            if isRefused { return refuse(context, head) }
            if head.isStreamed { begin(context) }
        case .body: if isRefused { return }
        case .end:
            if isRefused { return }
            if open > 0 { begin(context) }
        }
        context.fireChannelRead(data)
    }

    private func begin(_ context: ChannelHandlerContext) {
        if !isBusy { connections.begin(context.channel) }
        isBusy = true
    }

    private func refuse(_ context: ChannelHandlerContext, _ head: HTTPRequest) {
        metrics.countRequest(head.method.rawValue, Problem.tooManyConnections.status.code)
        metrics.add(1, to: Metrics.limits, "connections")
        context.write(Problem.tooManyConnections)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            if isBusy { connections.end(context.channel) }
            (isBusy, open) = (false, max(0, open - 1))
            if open == 0 { awaitRequest(context, idle) }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stall.clear()
        // It becomes writable again with every piece of the answer that the client takes.
        if !context.channel.isWritable {
            stall.set(in: Self.patience, context) { [metrics] in
                metrics.add(1, to: Metrics.limits, "slow-reader")
                context.close(promise: nil)
            }
        }
        context.fireChannelWritabilityChanged()
    }
}
