import BelfryJournal
import BelfryRuntime
import Synchronization

/// A reader of decisions that knows where it is.
final class DecisionReader: Sendable {
    /// The one that it reads. A service that begins again has another one, of which this one knows nothing.
    let journal: Journal
    private let state: Mutex<State>

    fileprivate struct State {
        var feed: DecisionFeed
        var cursor: DecisionCursor
        /// `Journal.rewrites` before anything that waits was read.
        var rewrites: UInt64
        var waiting: ArraySlice<DecisionFeed.Item> = []
    }

    init(_ journal: Journal, after cursor: DecisionCursor) throws {
        self.journal = journal
        let rewrites = journal.rewrites
        state = Mutex(
            State(feed: try DecisionFeed(of: journal, after: cursor.number), cursor: cursor, rewrites: rewrites))
    }

    /// Behind the last decision that was given.
    var cursor: DecisionCursor { state.withLock { $0.cursor } }

    /// Whether decisions wait for what their actions come to.
    var isBlocked: Bool { state.withLock { $0.feed.isBlocked } }

    /// Whether the journal does not keep what comes next any more.
    var hasLost: Bool { state.withLock { $0.feed.hasLost } }

    /// How many bytes of decisions it has read and not given.
    var held: Int { state.withLock { $0.waiting.reduce(0) { $0 + $1.line.count } } }

    /// The next decision; nil if there is none yet.
    func next() throws -> DecisionFeed.Item? {
        try state.withLock { state in
            try state.dropErased(from: journal)
            if state.waiting.isEmpty { state.waiting = try state.feed.next()[...] }
            guard let item = state.waiting.popFirst() else { return nil }
            state.cursor = item.cursor
            return item
        }
    }
}

extension DecisionReader.State {
    /// Reads what waits once more if the journal was written anew since: a subject of it may have been erased.
    fileprivate mutating func dropErased(from journal: Journal) throws {
        let rewrites = journal.rewrites
        guard rewrites != self.rewrites else { return }
        if !waiting.isEmpty || feed.isBlocked {
            (feed, waiting) = (try DecisionFeed(of: journal, after: cursor.number), [])
        }
        self.rewrites = rewrites
    }
}
