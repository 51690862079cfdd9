import BelfryJournal
import BelfryModel
import BelfryRuntime

/// A reader of decisions that knows where it is.
final class DecisionReader: @unchecked Sendable {
    // Unchecked: one request at a time has it.
    /// The one that it reads. A service that begins again has another one, of which this one knows nothing.
    let journal: Journal
    private let feed: DecisionFeed
    private var waiting: ArraySlice<DecisionFeed.Item> = []
    /// Behind the last decision that was given.
    private(set) var cursor: DecisionCursor

    init(_ journal: Journal, after cursor: DecisionCursor) throws {
        feed = try DecisionFeed(of: journal, after: cursor.number)
        (self.journal, self.cursor) = (journal, cursor)
    }

    /// Whether decisions wait for what their actions come to.
    var isBlocked: Bool { feed.isBlocked }

    /// Whether the journal does not keep what comes next any more.
    var hasLost: Bool { feed.hasLost }

    /// The next decision; nil if there is none yet.
    func next() throws -> DecisionFeed.Item? {
        if waiting.isEmpty { waiting = try feed.next()[...] }
        guard let item = waiting.popFirst() else { return nil }
        cursor = DecisionCursor(number: item.number)
        return item
    }
}
