import BelfryRuntime
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Answers requests that bring a few signals as a whole, on the event loop of their connection.
///
/// Most requests of a service are posts of one signal each, and half of their cost is the tasks of Hummingbird. This handler stands before
/// Hummingbird in the pipeline, and passes on what it cannot answer: bodies of lines, packed and large ones, requests with an idempotency
/// key, and unusual heads. While the queue is full, or the service ends, it refuses those too as soon as their head is there: a refusal
/// costs little. It belongs to one event loop.
final class BoundedSignalHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Phase {
        /// Requests go on.
        case passing
        /// The head of a request has come that is answered here, and what came of its body.
        case reading(HTTPRequest, ByteBuffer)
        /// Its signals are decided.
        case deciding
        /// It is refused, and the rest of its body comes to nothing.
        case dropping
    }

    private enum Held {
        case part(HTTPRequestPart)
        case error(any Error)
        case event(Any)
    }

    /// Of a body, in bytes. More would keep an event loop from its other connections.
    private static let most = 64 << 10

    private let table: RouteTable
    private let signals: SignalRoutes
    private var phase = Phase.passing
    /// How many requests went on and are not answered yet.
    private var passed = 0
    /// What has come since, and has its turn after the answer.
    private var held: [Held] = []
    private var isReadHeld = false
    private var date = DateField()

    init(_ table: RouteTable, _ signals: SignalRoutes) { (self.table, self.signals) = (table, signals) }

    private var isPassing: Bool { if case .passing = phase { true } else { false } }
    private var isDeciding: Bool { if case .deciding = phase { true } else { false } }

    // MARK: What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { take(.part(unwrapInboundIn(data)), context) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { take(.error(error), context) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { take(.event(event), context) }

    private func take(_ item: Held, _ context: ChannelHandlerContext) {
        if isDeciding { return held.append(item) }
        switch item {
        case .part(.head(let head)) where passed == 0 && head.bringsSignals: begin(head, context)
        case .part(let part): go(on: part, context)
        case .error(let error):
            // The rest of the body will not come. What was answered gets no other answer.
            if case .reading(let head, _) = phase {
                phase = .dropping
                refuse(head, .malformed, context)
            }
            if case .dropping = phase { return context.close(promise: nil) }
            context.fireErrorCaught(error)
            goOn(context)
        case .event(let event):
            // What was refused need not come to its end.
            if case .dropping = phase, event is ChannelShouldQuiesceEvent { return context.close(promise: nil) }
            // The end of a connection is not to come before the answer.
            if isPassing { context.fireUserInboundEventTriggered(event) } else { held.append(item) }
        }
    }

    private func begin(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
        if head.isBounded(to: min(Self.most, signals.limits.body)), !signals.engine.isDraining {
            phase = .reading(head, ByteBuffer())
        } else if let problem = signals.refusal {
            phase = .dropping
            refuse(head, problem, context)
        } else {
            pass(.head(head), context)
        }
    }

    private func go(on part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch (phase, part) {
        case (.reading(let head, var body), .body(var piece)):
            phase = .passing
            body.writeBuffer(&piece)
            phase = .reading(head, body)
        case (.reading(let head, let body), .end): decide(head, body, context)
        case (.dropping, .end): goOn(context)
        case (.dropping, _): break
        default: pass(part, context)
        }
    }

    private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        if case .head = part { passed += 1 }
        context.fireChannelRead(wrapInboundOut(part))
    }

    func read(context: ChannelHandlerContext) {
        if mayRead(context) { context.read() } else { isReadHeld = true }
    }

    /// No more is read from a client that has sent further requests before its answer, or that does not take its answers.
    private func mayRead(_ context: ChannelHandlerContext) -> Bool {
        (held.isEmpty || !isDeciding) && (passed > 0 || context.channel.isWritable)
    }

    private func readAgain(_ context: ChannelHandlerContext) {
        guard isReadHeld, mayRead(context) else { return }
        isReadHeld = false
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        readAgain(context)
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { passed -= 1 }
        context.write(data, promise: promise)
    }

    // MARK: Signals

    private func decide(_ head: HTTPRequest, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
        let request = Request(head: head, body: RequestBody(buffer: body))
        var visit = Visit(of: request)
        do {
            let (_, call) = try table.admit(request, user: nil, &visit)
            let pending = try signals.begin(Array(body.readableBytesView), of: call)
            phase = .deciding
            let (eventLoop, own) = (context.eventLoop, NIOLoopBound((self, context), eventLoop: context.eventLoop))
            pending.whenWhole { [visit, signals] results in
                let reply = { @Sendable in Result { try signals.reply(results, of: pending, to: call) } }
                let finish = { @Sendable (reply: Result<Reply, any Error>) in
                    let (handler, context) = own.value
                    handler.answer(request, visit, context, reply.get)
                    handler.goOn(context)
                }
                if results?.takeLong == true {
                    Task {
                        let reply = reply()
                        eventLoop.execute { finish(reply) }
                    }
                } else {
                    // The event loop is woken once for all that comes of a batch.
                    eventLoop.execute { finish(reply()) }
                }
            }
        } catch {
            answer(request, visit, context) { throw error }
            goOn(context)
        }
    }

    private func refuse(_ head: HTTPRequest, _ problem: Problem, _ context: ChannelHandlerContext) {
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        var visit = Visit(of: request)
        let admitting = Result { try table.admit(request, user: nil, &visit) }
        answer(request, visit, context) {
            _ = try admitting.get()
            throw problem
        }
    }

    private func answer(
        _ request: Request, _ visit: Visit, _ context: ChannelHandlerContext, _ body: () throws -> Reply
    ) {
        let isGone = !context.channel.isActive
        var reply: Reply
        do { reply = try body() } catch { reply = table.reply(to: error, isGone: isGone, request, visit) }
        table.finish(&reply.headers, reply.status, visit)
        if isGone { return }
        reply.headers[.date] = date.now
        context.write(reply)
    }

    /// The request is over, and what was held has its turn.
    private func goOn(_ context: ChannelHandlerContext) {
        phase = .passing
        let items = held
        held = []
        for item in items { take(item, context) }
        if !items.isEmpty, isPassing { context.fireChannelReadComplete() }
        readAgain(context)
    }
}

extension [SignalResult] {
    /// Whether to answer them would hold up the other connections of the event loop: for a duplicate, all of the journal may be read.
    fileprivate var takeLong: Bool {
        count > 500 || contains { if case .duplicate = $0 { true } else { false } }
    }
}

extension HTTPRequest {
    /// Whether it brings signals, and nothing in its head is unusual.
    fileprivate var bringsSignals: Bool {
        method == .post && path == "/v1/signals" && headerFields.contains(.authorization)
            && !headerFields.contains(.expect)
            && (headerFields.value(.connection).map { $0.lowercased() == "keep-alive" } ?? true)
    }

    /// Whether they come as a whole, and are not too many.
    fileprivate func isBounded(to most: Int) -> Bool {
        guard let length = headerFields.value(.contentLength).flatMap({ Int($0) }), length <= most, !isStreamed else {
            return false
        }
        return !headerFields.contains(.contentEncoding) && !headerFields.contains(.idempotencyKey)
    }
}
