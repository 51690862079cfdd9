import BelfryRuntime
import Synchronization

/// What becomes of a block, which may be decided in several batches.
final class PendingResults: Sendable {
    /// Nil: they will not be decided any more.
    typealias Body = @Sendable ([SignalResult]?) -> Void

    private struct State {
        var results: [SignalResult]? = []
        var isWhole = false
        var waiting: Body?
    }

    let block: SignalBlock
    private let state = Mutex(State())

    init(_ block: SignalBlock) { self.block = block }

    /// Gets what came of the next signals; nil: they will not be decided any more.
    @Sendable func take(_ results: [SignalResult]?) {
        let (waiting, whole) = state.withLock { state in
            if let results { state.results? += results } else { state.results = nil }
            state.isWhole = (state.results?.count ?? .max) >= block.count
            return (state.isWhole ? state.waiting.take() : nil, state.results)
        }
        waiting?(whole)
    }

    /// Calls when it is known what became of all, on the thread that knows it. Asked for once.
    func whenWhole(_ body: @escaping Body) {
        let (isWhole, results) = state.withLock { state in
            if !state.isWhole { state.waiting = body }
            return (state.isWhole, state.results)
        }
        if isWhole { body(results) }
    }

    /// What became of all; nil if that will not be known. Asked for once.
    var results: [SignalResult]? {
        get async { await withCheckedContinuation { continuation in whenWhole { continuation.resume(returning: $0) } } }
    }
}
