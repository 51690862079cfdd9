import BelfryConfiguration
import BelfryEngine
import BelfryModel

/// A webhook: each decision is a POST, as Standard Webhooks has it (specification 1.0.0).
final class Webhook: SinkTarget {
    let address: String
    private let webhook: Configuration.Sink.Webhook
    private let keys: WebhookKeys?
    /// Nil: the decision as it is.
    private let body: MessageBody?
    private let timeout: Duration
    private let sender: HTTPSender

    /// - Parameter webhook: with the values of its variables.
    init(_ webhook: Configuration.Sink.Webhook, _ properties: DecisionProperties, timeout: Duration) {
        (self.webhook, self.timeout) = (webhook, timeout)
        body = webhook.body.map { MessageBody($0, properties) }
        // A query may have a secret in it.
        address = String(webhook.url.prefix { $0 != "?" })
        keys = webhook.secret.flatMap { WebhookKeys($0) }
        sender = HTTPSender(.open(besides: webhook.allow.compactMap { AddressRange($0) }))
    }

    func deliver(_ item: SinkItem, done: @escaping @Sendable (SinkOutcome) -> Void) {
        sender.send(request(for: item, at: .wallClock)) { done(SinkOutcome($0)) }
    }

    private func request(for item: SinkItem, at time: Instant) -> HTTPRequest {
        let (id, timestamp) = (item.id.asHeader, time.milliseconds / 1000)
        var headers = webhook.headers
        for (name, value) in [("Content-Type", type), ("webhook-id", id), ("webhook-timestamp", "\(timestamp)")] {
            headers.append(.init(name: name, value: value))
        }
        let content = body?.filled(for: item.decision) ?? item.line
        if let keys {
            let signature = WebhookSignature.text(keys, id: id, timestamp: timestamp, body: content)
            headers.append(.init(name: "webhook-signature", value: signature))
        }
        return HTTPRequest(url: webhook.url, headers: headers, body: content, timeout: timeout)
    }

    private var type: String { body == nil ? "application/cloudevents+json" : "application/json" }

    func close() { sender.cancel() }
}

extension SinkOutcome {
    /// 410 says never again; 400, 409, 413 and 422 are about this one; everything else about all.
    ///
    /// - Parameter origin: where that was, if the sink has several.
    init(_ result: Result<EndpointAnswer, NoAnswer>, at origin: String? = nil) {
        let place = origin.map { "\($0) " } ?? ""
        switch result {
        case .failure(let failure): self = .failed(place + failure.reason)
        case .success(let answer):
            let text = "\(place)answers \(answer.status)" + (answer.phrase.isEmpty ? "" : " \(answer.phrase)")
            if answer.status == 410 {
                self = .gone(text)
                return
            }
            switch answer.verdict {
            case .taken: self = .taken
            case .later(let pause): self = .failed(text, pause: pause)
            case .refused: self = .failed(text)
            case .unacceptable: self = .refused(text)
            }
        }
    }
}

extension String {
    /// Without what a header field cannot have: that is percent-encoded.
    fileprivate var asHeader: String {
        utf8.reduce(into: "") { text, byte in
            if 0x21...0x7E ~= byte, byte != UInt8(ascii: "%") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
