import BelfryRuntime
import CCurl
import Synchronization

/// Sends requests over HTTP, several at once, on a thread of its own: the only door to other people's network.
///
/// libcurl does the work. Redirects are not followed, proxies of the environment are not used, and nothing is tried again here, but what went
/// to a kept connection that had been closed meanwhile: when to send is the business of the callers.
final class HTTPSender: Sendable {
    /// How a request ended.
    typealias Done = @Sendable (Result<EndpointAnswer, NoAnswer>) -> Void

    private let policy: AddressPolicy
    // Only `curl_multi_wakeup` is called by other threads than that of the sender, which it is made for.
    nonisolated(unsafe) private let requests: UnsafeMutableRawPointer
    private let state: Mutex<State>

    private struct State {
        var new: [(request: HTTPRequest, done: Done)] = []
        var (isCancelled, isClosed, hasThread) = (false, false, false)
    }

    /// - Parameter policy: which addresses may be connected to.
    init(_ policy: AddressPolicy) {
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        self.policy = policy
        requests = curl_multi_init()!
        state = Mutex(State())
    }

    deinit { curl_multi_cleanup(requests) }

    /// Begins a request. `done` is called once, on any thread.
    func send(_ request: HTTPRequest, done: @escaping Done) {
        let isTaken = state.withLock { state in
            if state.isCancelled || state.isClosed { return false }
            if !state.hasThread { state.hasThread = (try? startThread { [self] in work() }) != nil }
            if state.hasThread { state.new.append((request, done)) }
            return state.hasThread
        }
        if isTaken { curl_multi_wakeup(requests) } else { done(.failure(.cancelled)) }
    }

    /// Ends what is under way; nothing is sent any more.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        curl_multi_wakeup(requests)
    }

    /// Ends the thread when nothing is under way.
    func close() {
        state.withLock { $0.isClosed = true }
        curl_multi_wakeup(requests)
    }

    // MARK: The thread

    private func work() {
        var underway: [UnsafeMutableRawPointer: HTTPExchange] = [:]
        while true {
            let (new, isCancelled, isClosed) = state.withLock { state in
                defer { state.new = [] }
                return (state.new, state.isCancelled, state.isClosed)
            }
            for (request, done) in new {
                let exchange = HTTPExchange(request, policy, done)
                underway[exchange.handle] = exchange
                curl_multi_add_handle(requests, exchange.handle)
            }
            if isCancelled { end(&underway) }
            var count: Int32 = 0
            curl_multi_perform(requests, &count)
            takeEnded(&underway)
            if underway.isEmpty, isClosed || isCancelled { return }
            curl_multi_poll(requests, nil, 0, 1000, nil)
        }
    }

    private func takeEnded(_ underway: inout [UnsafeMutableRawPointer: HTTPExchange]) {
        var code = CURLE_OK
        while let handle = belfry_curl_ended(requests, &code) {
            curl_multi_remove_handle(requests, handle)
            underway.removeValue(forKey: handle)?.end(code)
        }
    }

    private func end(_ underway: inout [UnsafeMutableRawPointer: HTTPExchange]) {
        for exchange in underway.values {
            curl_multi_remove_handle(requests, exchange.handle)
            exchange.cancel()
        }
        underway = [:]
    }
}
