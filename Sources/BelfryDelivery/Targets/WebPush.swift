import BelfryConfiguration
import BelfryEngine
import BelfryModel
import Synchronization

/// Browsers: each decision goes to the push service of the subscription that it has in it (RFC 8030).
final class WebPush: SinkTarget {
    let address = "the push service"
    private let id: String
    private let settings: Configuration.Sink.WebPush
    private let subscription: MessageBody
    /// Nil: what a notification shows.
    private let body: MessageBody?
    private let topic: MessageBody?
    private let vapid: Vapid?
    private let timeout: Duration
    private let sender: HTTPSender
    private let receive: (@Sendable ([UInt8]) -> Void)?
    /// Endpoints that are no more.
    private let gone = Mutex<Set<String>>([])

    /// So many are remembered.
    private static let goneLimit = 100_000

    /// - Parameters:
    ///   - sink: of this type, with the values of its variables.
    ///   - receive: gets lines of signals.
    init(
        _ sink: Configuration.Sink, _ settings: Configuration.Sink.WebPush, _ properties: DecisionProperties,
        receive: (@Sendable ([UInt8]) -> Void)?
    ) {
        (id, self.settings, timeout, self.receive) = (sink.id, settings, sink.timeout, receive)
        subscription = MessageBody(settings.subscription, properties)
        body = settings.body.map { MessageBody($0, properties) }
        topic = settings.topic.map { MessageBody(.text($0), properties) }
        vapid = Vapid(key: settings.key, subject: settings.subject)
        sender = HTTPSender(.open(besides: settings.allow.compactMap { AddressRange($0) }))
    }

    func deliver(_ item: SinkItem, done: @escaping @Sendable (SinkOutcome) -> Void) {
        do throws(PushSubscription.Fault) {
            let decision = item.decision
            let subscription = try PushSubscription(subscription.value(for: decision))
            let request = try request(for: decision, to: subscription, at: .wallClock)
            sender.send(request) { [self] in done(outcome($0, of: item, to: subscription)) }
        } catch {
            done(.dropped("does not get it: \(error.why)"))
        }
    }

    func close() { sender.cancel() }

    // MARK: The request

    private func request(
        for decision: Fields, to subscription: PushSubscription, at time: Instant
    ) throws(PushSubscription.Fault) -> HTTPRequest {
        // The subscriber says where to: in the clear only where the operator has a network of their own in mind.
        guard subscription.origin.hasPrefix("https:") || !settings.allow.isEmpty else {
            throw .init("its subscription has no endpoint, which is an https address")
        }
        if gone.withLock({ $0.contains(subscription.endpoint) }) {
            throw .init("\(subscription.origin) has said that its subscription is no more")
        }
        let text = body?.filled(for: decision) ?? Array(message(for: decision, subscription).json.utf8)
        guard text.count <= PushMessage.limit else {
            throw .init(
                "it has \(text.count) bytes, and \(PushMessage.limit) is the most; give the sink a shorter 'body'")
        }
        guard let content = PushMessage.encrypt(text, for: subscription), let vapid else {
            throw .init("it cannot be encrypted for its subscription")
        }
        let authorization = vapid.authorization(for: subscription.origin, at: time)
        return HTTPRequest(
            url: subscription.endpoint, headers: headers(for: decision, authorization), body: content, timeout: timeout)
    }

    private func headers(for decision: Fields, _ authorization: String) -> [Configuration.Forward.Header] {
        var fields = [
            ("Content-Type", "application/octet-stream"), ("Content-Encoding", "aes128gcm"),
            ("TTL", "\(settings.ttl.milliseconds / 1000)"), ("Urgency", settings.urgency.rawValue),
            ("Authorization", authorization),
        ]
        if let topic = topic?.value(for: decision), !topic.isNull, topic != "" {
            fields.append(("Topic", Self.topic(topic.text ?? topic.json)))
        }
        return fields.map { .init(name: $0.0, value: $0.1) }
    }

    /// At most 32 characters of Base64 for URLs (RFC 8030, section 5.4): a text that is longer, or has others, goes by its digest.
    private static func topic(_ text: String) -> String {
        if text.wholeMatch(of: /[A-Za-z0-9_-]{1,32}/) != nil { return text }
        return String(SHA256Digest(of: Array(text.utf8)).bytes.base64URL.prefix(32))
    }

    private func message(for decision: Fields, _ subscription: PushSubscription) -> Value {
        let data = decision["data"]?.map ?? [:]
        var message: Fields = [:]
        for name in ["id", "type", "subject"] { message[name] = decision[name] }
        for name in ["notification", "campaign", "title", "message", "buttons"] { message[name] = data[name] }
        message["data"] = data["data"].flatMap { Self.without(subscription, $0) }
        return .map(message)
    }

    /// The browser knows its own subscription.
    private static func without(_ subscription: PushSubscription, _ data: Value) -> Value? {
        if (try? PushSubscription(data)) == subscription { return nil }
        guard let fields = data.map else { return data }
        return .map(
            Fields(
                fields.entries.filter { (try? PushSubscription($0.value)) != subscription }.map { ($0.key, $0.value) }))
    }

    // MARK: The answer

    private func outcome(
        _ result: Result<EndpointAnswer, NoAnswer>, of item: SinkItem, to subscription: PushSubscription
    ) -> SinkOutcome {
        let origin = subscription.origin
        switch result {
        case .failure(let failure) where failure.isForbidden: return .dropped("\(origin) \(failure.reason)")
        case .success(let answer) where [404, 410].contains(answer.status):
            forget(subscription, item)
            return .dropped("\(origin) says that the subscription is no more")
        case .success(let answer) where answer.status == 413: return .dropped("\(origin) says that it is too long")
        default:
            // Each browser has a push service of its choice: the trouble of one is not that of others.
            let outcome = SinkOutcome(result, at: origin)
            if case .failed(let why, let pause) = outcome { return .refused(why, pause: pause) }
            return outcome
        }
    }

    /// Nothing goes there any more, and a signal `channel.invalidated` says so.
    private func forget(_ subscription: PushSubscription, _ item: SinkItem) {
        let isNew = gone.withLock { gone in
            if gone.count >= Self.goneLimit { gone = [] }
            return gone.insert(subscription.endpoint).inserted
        }
        guard isNew, let receive else { return }
        let data: Fields = ["sink": .text(id), "endpoint": .text(subscription.endpoint)]
        receive(item.signal("channel.invalidated", from: id, data))
    }
}
