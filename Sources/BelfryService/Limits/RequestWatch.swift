import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Ends connections whose requests come too slowly, or have a head that is too large or none of HTTP, with a sentence.
///
/// A head has 10 s from its first byte. A body has to bring 1 KiB/s, looked at every 30 s. Lines that are streamed may take their time as
/// long as they are whole; when none has come for the idle time, the body is taken to have ended. One event loop has it.
final class RequestWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let headTime = TimeAmount.seconds(10)
    private static let bodyTime = TimeAmount.seconds(30)
    /// In so long a time.
    private static let leastBody = 30 << 10
    /// How long lines may be awaited when the service ends.
    private static let lastIdle = TimeAmount.seconds(1)

    private enum Phase {
        case idle, head, body, answering
    }

    private var idle: TimeAmount
    private let metrics: Metrics
    private var phase = Phase.idle
    private var bytes = 0
    private var method = "other"
    /// Whether the head of an answer has left.
    private var hasBegun = false
    /// How many requests have begun to come, and are not answered: an answer may leave before its request has come as a whole.
    private var open = 0
    /// What is wrong with the head that came last, while those before it are answered.
    private var fault: Problem?
    private let timer = Deadline()
    /// Answers leave from here, before the handlers that make bytes of them.
    private var context: ChannelHandlerContext?

    // Of lines that are streamed.
    private let silence = Deadline()
    /// Whether what has come ends with a line.
    private var isWhole = true
    /// Whether the body is packed, so that lines cannot be seen here.
    private var isPacked = false
    /// Whether what has come was taken, and more is wanted.
    private var isReading = false
    /// Whether the body was ended here: what comes after that is not read.
    private var wasCut = false

    /// Gets the channel of a client that sends nothing any more.
    private let inputEnded: @Sendable (any Channel) -> Void

    init(idle: TimeAmount, _ metrics: Metrics, inputEnded: @escaping @Sendable (any Channel) -> Void = { _ in }) {
        (self.idle, self.metrics, self.inputEnded) = (idle, metrics, inputEnded)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // Bytes are seen before a head is made of them, and after they are unlocked.
        let pipeline = context.pipeline.syncOperations
        let tls = try? pipeline.handler(type: TLSHandler.self)
        try? pipeline.addHandler(ByteWatch(self), position: tls.map { .after($0) } ?? .first)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        timer.end()
        silence.end()
        context.fireChannelInactive()
    }

    // MARK: What comes

    func inputDidEnd(of channel: any Channel) { inputEnded(channel) }

    /// The service ends, and waits for requests that are under way.
    func serviceWillEnd() {
        idle = min(idle, Self.lastIdle)
        if silence.isSet, let context { watchLines(context) }
    }

    func take(_ count: Int) {
        bytes += count
        guard phase == .idle, let context else { return }
        phase = .head
        if open == 0 { hasBegun = false }
        timer.set(in: Self.headTime, context) { [self] in end(context, .slowHead) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if wasCut { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            (phase, bytes, method) = (.body, 0, head.method.rawValue)
            (hasBegun, open) = (false, open + 1)
            (isWhole, isPacked) = (head.isStreamed, head.headerFields[.contentEncoding] != nil)
            watchBody(context)
            if head.isStreamed { watchLines(context) }
        case .body(let part):
            if silence.isSet {
                isWhole = isPacked || part.readableBytesView.last == UInt8(ascii: "\n")
                watchLines(context)
            }
        case .end: endBody()
        }
        context.fireChannelRead(data)
    }

    private func endBody() {
        phase = open == 0 ? .idle : .answering
        // It was answered before it came as a whole: what is next has no answer yet.
        if open == 0 { hasBegun = false }
        timer.clear()
        silence.clear()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        isReading = true
        context.read()
    }

    /// Takes the body to have ended when nothing has come for long although it is read: then what came is answered.
    private func watchLines(_ context: ChannelHandlerContext) {
        silence.set(in: idle, context) { [self] in
            guard isWhole, isReading else { return watchLines(context) }
            endBody()
            wasCut = true
            context.fireChannelRead(wrapInboundOut(.end(nil)))
            context.fireChannelReadComplete()
        }
    }

    private func watchBody(_ context: ChannelHandlerContext) {
        bytes = 0
        timer.set(in: Self.bodyTime, context) { [self] in
            guard bytes < Self.leastBody, !isWhole else { return watchBody(context) }
            end(context, .slowBody)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): if head.status != .continue { hasBegun = true }
        case .body: break
        case .end:
            open = max(0, open - 1)
            if phase == .answering, open == 0 { phase = .idle }
        }
        context.write(data, promise: promise)
        if let fault, open == 0 {
            self.fault = nil
            hasBegun = false
            end(context, fault)
        } else if wasCut, phase == .idle {
            context.flush()
            context.close(promise: nil)
        }
    }

    // MARK: The end

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Of a body, its reader says so. What comes behind a last request is not read.
        guard let error = error as? HTTPParserError, error != .closedConnection, context.channel.isActive,
            phase != .body || error == .headerOverflow
        else { return context.fireErrorCaught(error) }
        method = "other"
        let problem = Problem(ofHead: error)
        if phase == .answering { fault = problem } else { end(context, problem) }
    }

    private func end(_ context: ChannelHandlerContext, _ problem: Problem) {
        metrics.countRequest(method, problem.status.code)
        timer.clear()
        if let limit = problem.limit { metrics.add(1, to: Metrics.limits, limit) }
        if hasBegun { context.close(promise: nil) } else { context.write(problem) }
    }
}

extension Problem {
    fileprivate static let slowHead = Problem(
        .requestTimeout, "slow-head", "the head of the request came too slowly", expected: "within 10 s",
        fix: "send it again")

    fileprivate static let slowBody = Problem(
        .requestTimeout, "slow-body", "the body of the request came too slowly", expected: "1 KiB/s",
        fix: "send it again")

    fileprivate init(ofHead error: HTTPParserError) {
        self =
            if error == .headerOverflow {
                Problem(
                    .requestHeaderFieldsTooLarge, "head-too-large", "the head of the request is too large",
                    expected: "at most 16 KiB in 100 fields", fix: "send less in it")
            } else {
                Problem(
                    .badRequest, "malformed-head", "the head of the request is not as HTTP/1.1 has it",
                    found: error.debugDescription,
                    expected: "a line like 'GET /v1/subjects HTTP/1.1', and a line 'Name: value' for each field",
                    fix: "correct the client")
            }
    }
}

/// Counts bytes as they come.
private final class ByteWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let watch: RequestWatch

    init(_ watch: RequestWatch) { self.watch = watch }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        watch.take(unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }

    /// Handlers behind this one hold it back until an answer has left.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { watch.inputDidEnd(of: context.channel) }
        if event is ChannelShouldQuiesceEvent { watch.serviceWillEnd() }
        context.fireUserInboundEventTriggered(event)
    }
}
