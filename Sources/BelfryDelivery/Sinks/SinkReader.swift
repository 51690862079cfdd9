import BelfryJournal
import BelfryModel
import BelfryRuntime

/// Reads decisions from the journal into the queue of a sink, and knows why it cannot.
struct SinkReader: ~Copyable {
    private let journal: Journal
    private let filter: SinkFilter
    private let messages: SinkMessages
    private var feed: DecisionFeed?
    /// Why the sink is broken; nil if it is not.
    private(set) var broken: String?
    /// Whether the journal has what it could not read: the database that has it was out of reach.
    private(set) var isOutOfReach = false
    /// Whether the journal had nothing more, when it was last looked at.
    private(set) var isAtEnd = false
    /// The oldest entry of the journal, when `checkForLoss` last looked for what the queue waits for.
    private var oldestSeen: UInt64 = 0

    init(of journal: Journal, _ filter: SinkFilter, _ messages: SinkMessages) {
        (self.journal, self.filter, self.messages) = (journal, filter, messages)
    }

    /// Begins to read where the queue stands.
    mutating func open(for queue: SinkQueue) {
        isAtEnd = false
        let through = queue.window.through
        do {
            feed = try DecisionFeed(of: journal, after: through.number, entry: through.entry)
        } catch {
            fail(error, after: through.entry)
        }
    }

    /// An operator has seen to what broke it.
    mutating func reopen(for queue: SinkQueue) {
        broken = nil
        open(for: queue)
    }

    /// The place of the oldest decision that is kept, for a queue whose own place is not in the journal any more.
    func oldestPlace(for queue: SinkQueue) -> SinkWindow {
        let oldest = try? journal.reader().next()
        // What came before that waits no longer.
        let reached = max(queue.window.through.number, oldest?.decisionsBefore ?? 0)
        return SinkWindow(entry: (oldest?.number ?? journal.durable + 1) - 1, reached: reached, missing: [])
    }

    /// Reads on while the queue has room.
    ///
    /// - Returns: whether there was something.
    mutating func read(into queue: inout SinkQueue) -> Bool {
        isAtEnd = false
        var count = 0
        do {
            while !isAtEnd, queue.hasRoom, count < 5000, let feed {
                let items = try feed.next()
                count += items.count
                for item in items { take(item, into: &queue) }
                isAtEnd = items.isEmpty
                // Not the journal's own end: an entry whose sync has failed comes there, and cannot be read yet.
                if isAtEnd, !feed.isBlocked { queue.reachEnd(feed.count, of: feed.entry) }
            }
        } catch {
            fail(error, after: queue.window.through.entry)
        }
        return count > 0
    }

    private func take(_ item: DecisionFeed.Item, into queue: inout SinkQueue) {
        let (decision, place) = (item.decision, item.place)
        guard filter.takes(decision),
            let wanted = SinkItem(item.number, place.entry, writtenAt: place.writtenAt, decision, line: item.line)
        else { return queue.pass(item.number, entry: place.entry) }
        queue.add(wanted)
    }

    /// What a sink that is paused or stopped does not read is dropped with the journal all the same. What is in memory is still
    /// delivered once it is resumed.
    mutating func checkForLoss(of queue: SinkQueue) {
        let (through, oldest) = (queue.window.through, journal.oldest)
        guard broken == nil, queue.count == 0, oldest != oldestSeen, oldest > through.entry + 1 else { return }
        oldestSeen = oldest
        // Entries without decisions are no loss.
        let kept = (try? journal.reader().next())?.decisionsBefore ?? journal.decisions
        if kept > through.number { lose(after: through.entry) }
    }

    private mutating func fail(_ error: any Error, after entry: UInt64) {
        feed = nil
        isOutOfReach = (error as? JournalError).map { [.unreachable, .held].contains($0.code) } ?? false
        if journal.oldest > entry + 1 { return lose(after: entry) }
        // What is damaged is so for every sink: the journal's own error knows what to do.
        broken = (error as? JournalError)?.reason ?? "\(error)"
        messages.broken(error)
    }

    private mutating func lose(after entry: UInt64) {
        (feed, isOutOfReach) = (nil, false)
        broken = SinkStatus.lost(after: entry)
        messages.lost(after: entry)
    }
}
