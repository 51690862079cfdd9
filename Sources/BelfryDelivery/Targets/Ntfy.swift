import BelfryConfiguration
import BelfryEngine
import BelfryModel

/// A topic of ntfy: a notification is a message there (docs.ntfy.sh, "Publish as JSON").
final class Ntfy: SinkTarget {
    let address: String
    private let server: String
    private let topic: String
    private let token: String?
    private let timeout: Duration
    private let sender: HTTPSender

    /// - Parameter ntfy: with the values of its variables.
    init(_ ntfy: Configuration.Sink.Ntfy, timeout: Duration) {
        (address, token, self.timeout) = (ntfy.url, ntfy.token, timeout)
        let end = ntfy.url.lastIndex(of: "/") ?? ntfy.url.endIndex
        (server, topic) = (String(ntfy.url[...end]), String(ntfy.url[ntfy.url.index(after: end)...]))
        sender = HTTPSender(.open(besides: ntfy.allow.compactMap { AddressRange($0) }))
    }

    func deliver(_ item: SinkItem, done: @escaping @Sendable (SinkOutcome) -> Void) {
        var headers: [Configuration.Forward.Header] = [.init(name: "Content-Type", value: "application/json")]
        if let token { headers.append(.init(name: "Authorization", value: "Bearer \(token)")) }
        let body = Array(Value.map(message(for: item.decision)).json.utf8)
        sender.send(HTTPRequest(url: server, headers: headers, body: body, timeout: timeout)) { done(SinkOutcome($0)) }
    }

    private func message(for decision: Fields) -> Fields {
        let data = decision["data"]?.map ?? [:]
        var message: Fields = ["topic": .text(topic)]
        message["title"] = data["title"]
        message["message"] = data["message"] ?? data["notification"] ?? decision["type"]
        if let url = data["data"]?.text, url.hasPrefix("https://") || url.hasPrefix("http://") {
            message["click"] = .text(url)
        }
        message["tags"] = data["campaign"].map { .list([$0]) }
        return message
    }

    func close() { sender.cancel() }
}
