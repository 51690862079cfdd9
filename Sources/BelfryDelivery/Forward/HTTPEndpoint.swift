import BelfryEngine
import BelfryModel
import BelfryRuntime
import Dispatch
import Synchronization

/// An endpoint at an http or https address. One attempt is one POST.
final class HTTPEndpoint: ForwardEndpoint {
    let address: String
    private let url: String
    private let headers: [Configuration.Forward.Header]
    private let timeout: BelfryModel.Duration
    private let sender = HTTPSender(.all)

    /// - Parameters:
    ///   - url: http or https.
    ///   - headers: go with every request.
    ///   - timeout: for one attempt, from looking up the name to the end of the answer.
    init(_ url: String, headers: [Configuration.Forward.Header], timeout: BelfryModel.Duration) {
        self.url = url
        // A query may have a secret in it.
        address = String(url.prefix { $0 != "?" })
        self.timeout = timeout
        self.headers = headers + [.init(name: "Content-Type", value: "application/cloudevents-batch+json")]
    }

    func post(_ batch: ForwardBatch) throws(NoAnswer) -> EndpointAnswer {
        let ended = DispatchSemaphore(value: 0)
        let result = Mutex(Result<EndpointAnswer, NoAnswer>.failure(NoAnswer("")))
        sender.send(request(for: batch)) { answer in
            result.withLock { $0 = answer }
            ended.signal()
        }
        ended.wait()
        return try result.withLock { $0 }.get()
    }

    private func request(for batch: ForwardBatch) -> HTTPRequest {
        var headers = headers
        // A string of RFC 9651, as draft-ietf-httpapi-idempotency-key-header has it.
        headers.append(.init(name: "Idempotency-Key", value: "\"\(batch.key)\""))
        // When this attempt was made. The items have their own time.
        headers.append(.init(name: "Date", value: Instant.wallClock.httpDate))
        return HTTPRequest(
            url: url, headers: headers, body: batch.body, timeout: timeout, needsWholeAnswer: true)
    }

    func cancel() { sender.cancel() }
    func close() { sender.close() }
}
