import AsyncHTTPClient
import BelfryEngine
import BelfryModel
import BelfryRuntime
import Glibc
import NIOCore
import NIOHTTP1
import Synchronization

/// An endpoint at an http or https address: the only door to the network.
///
/// One attempt is one POST. Redirects are not followed, and nothing is tried again here: when to send is not this one's business.
public final class HTTPEndpoint: ForwardEndpoint {
    public let address: String
    private let url: String
    private let headers: HTTPHeaders
    private let timeout: BelfryModel.Duration
    private let state = Mutex(State())

    private struct State {
        /// Made when it is first needed; whoever made one has to shut it down.
        var client: HTTPClient?
        var task: HTTPClient.Task<EndpointAnswer>?
        var isCancelled = false
    }

    /// - Parameters:
    ///   - url: http or https.
    ///   - headers: go with every request.
    ///   - timeout: for one attempt, from looking up the name to the end of the answer.
    public init(_ url: String, headers: [Configuration.Forward.Header], timeout: BelfryModel.Duration) {
        self.url = url
        // A query may have a secret in it.
        address = String(url.prefix { $0 != "?" })
        self.timeout = timeout
        self.headers = HTTPHeaders(
            headers.map { ($0.name, $0.value) } + [("Content-Type", "application/cloudevents-batch+json")])
    }

    public func post(_ batch: ForwardBatch) throws(NoAnswer) -> EndpointAnswer {
        do {
            return try begin(request(for: batch)).wait()
        } catch {
            throw NoAnswer(reason(of: error, within: timeout))
        }
    }

    private func request(for batch: ForwardBatch) throws -> HTTPClient.Request {
        var headers = headers
        // A string of RFC 9651, as draft-ietf-httpapi-idempotency-key-header has it.
        headers.add(name: "Idempotency-Key", value: "\"\(batch.key)\"")
        // When this attempt was made. The items have their own time.
        headers.add(name: "Date", value: Instant.now.httpDate)
        return try HTTPClient.Request(url: url, method: .POST, headers: headers, body: .bytes(batch.body))
    }

    private func begin(_ request: HTTPClient.Request) throws -> HTTPClient.Task<EndpointAnswer> {
        try state.withLock { state in
            if state.isCancelled { throw HTTPClientError.cancelled }
            let client = state.client ?? Self.client()
            let task = client.execute(
                request: request, delegate: AnswerReader(), deadline: .now() + .milliseconds(timeout.milliseconds))
            (state.client, state.task) = (client, task)
            return task
        }
    }

    private static func client() -> HTTPClient {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        // The schedule knows better when to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Shorter than servers keep idle connections, so that none is closed while a request is on its way.
        configuration.connectionPool.idleTimeout = .seconds(4)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    public func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    public func close() {
        try? state.withLock { $0.client }?.syncShutdown()
    }
}

/// Keeps what matters of an answer: its head, and the beginning of its body.
private final class AnswerReader: HTTPClientResponseDelegate {
    private static let textLimit = 300
    private let answer = Mutex(EndpointAnswer(status: 0))

    func didReceiveHead(task: HTTPClient.Task<EndpointAnswer>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        answer.withLock {
            $0 = EndpointAnswer(
                status: Int(head.status.code), phrase: head.status.reasonPhrase,
                retryAfter: head.headers.first(name: "Retry-After"),
                date: head.headers.first(name: "Date") ?? Instant.now.httpDate,
                location: head.headers.first(name: "Location"))
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<EndpointAnswer>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        answer.withLock { answer in
            let missing = Self.textLimit - answer.text.utf8.count
            if missing > 0 { answer.text += String(decoding: buffer.readableBytesView.prefix(missing), as: UTF8.self) }
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<EndpointAnswer>) -> EndpointAnswer { answer.withLock { $0 } }
}

extension Instant {
    /// By the clock of this machine.
    fileprivate static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
