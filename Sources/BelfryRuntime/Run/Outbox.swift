import BelfryCore
import BelfryEngine
import BelfryJournal
import BelfryModel

/// Makes batches durable, and hands out their decisions when they are: a transactional outbox over the journal.
///
/// Signals, decisions, what changed and the position in the input are one entry of the journal; the decisions leave when it is durable; a
/// later entry says that they have left. So whenever the process ends, the next run hands out what the journal has and does not know to have
/// left, and goes on behind the last signal of the journal (docs/reliability.md).
final class Outbox {
    private let journal: Journal
    private let isDurable: Bool
    private var forward: ForwardItems
    var delivery: Delivery
    var position: RunPosition
    /// The position that the journal has.
    private var written: RunPosition
    /// The entries that the next `sync` makes durable.
    private var added: [JournalEntry] = []
    /// What goes into the next entry besides.
    private var values: [String: [UInt8]] = [:]
    /// How the calls of entries before have ended.
    private var fillings: [GapFillings] = []
    /// The last entry of which nothing waits to be forwarded, where nothing is forwarded in this run: what waits is kept like
    /// what a sink has not taken.
    let forwardedEntry: UInt64
    /// The entries that have left and are not marked so.
    private var unmarked = (count: 0, haveActions: false)
    /// The last entry whose decisions have left.
    private var left: UInt64
    /// Whether time passes by itself, each second.
    private let hasWallClock: Bool

    init(
        _ journal: Journal, isDurable: Bool, _ delivery: Delivery, _ configuration: Configuration,
        hasWallClock: Bool
    ) throws {
        (self.journal, self.isDurable, self.hasWallClock) = (journal, isDurable, hasWallClock)
        position = try RunPosition(journal.value(RunPosition.key))
        (written, left) = (position, position.handedOut)
        self.delivery = delivery
        forward = ForwardItems(source: configuration.app, journal: journal)
        let queue = try configuration.forward == nil ? ForwardQueue(journal) : nil
        forwardedEntry = queue.map { $0.count == 0 ? .max : $0.entry } ?? .max
    }

    /// What holds for the entries from the next one on.
    func note(_ value: [UInt8], as name: String) { values[name] = journal.value(name) == value ? nil : value }

    // MARK: What an earlier run left

    /// Whether decisions are in the journal of which it is not known whether they have left.
    var hasLeftovers: Bool { get throws { try !Self.leftovers(in: journal).isEmpty } }

    /// The entries with decisions that are not known to have left.
    static func leftovers(in journal: Journal) throws -> [(entry: UInt64, batch: OutgoingBatch)] {
        let reader = try journal.reader(after: RunPosition(journal.value(RunPosition.key)).handedOut)
        var leftovers: [(entry: UInt64, batch: OutgoingBatch)] = []
        while let entry = try reader.next() {
            if entry.decisions > 0 { leftovers.append((entry.number, try OutgoingBatch(entry))) }
        }
        return leftovers.filter { $0.batch.withoutBlanks.count > 0 }
    }

    /// - Parameter markUnhandled: takes back that a geotrigger was handled, and gives the changes.
    /// - Returns: how many decisions that were.
    func handOutLeftovers(_ markUnhandled: ([ActionCall]) throws -> [UInt8]) throws -> Int {
        let leftovers = try isDurable ? Self.leftovers(in: journal) : []
        guard let last = leftovers.last?.entry else { return 0 }
        var batch = OutgoingBatch()
        for leftover in leftovers { batch.append(leftover.batch.withoutBlanks) }
        try delivery.takeBack(batch, writtenAfter: position.output)
        try notePlaceOfOutput()
        let (unhandled, all) = try delivery.deliver(batch)
        var outcomes = all[...]
        for (entry, part) in leftovers {
            note(part, entry, outcomes.prefix(part.calls.count))
            outcomes = outcomes.dropFirst(part.calls.count)
        }
        let changes = try markUnhandled(unhandled)
        (left, unmarked.count) = (last, 1)
        try markHandedOut(changes)
        return batch.count
    }

    /// The file may be another one than that of the run before, or shorter: a kill from here on leaves a part of the batch there.
    private func notePlaceOfOutput() throws {
        let place = try delivery.output.position()
        guard place != position.output else { return }
        position.output = place
        add(JournalEntry(writtenAt: .wallClock))
        try sync()
    }

    // MARK: Entries

    /// What becomes durable at once.
    struct Content {
        var batch = OutgoingBatch()
        /// The lines of the signals that were decided.
        var signals: [UInt8] = []
        /// How records changed.
        var changes: [UInt8] = []
        var forwarded: [Outgoing] = []
        /// For each signal, which lines are its answer.
        var answers = AnswerPlaces()
        /// What came of the signals of requests that are to be done once.
        var requests: [UInt8] = []
    }

    /// Hands out the decisions of a batch that is durable, and runs its actions.
    ///
    /// - Parameter number: of its entry; nil if it has none.
    /// - Returns: the calls that did not take a geotrigger which waited for them, and how all calls have ended.
    func deliver(
        _ batch: OutgoingBatch, _ number: UInt64?
    ) throws -> (unhandled: [ActionCall], outcomes: [Decision.Outcome]) {
        let (unhandled, outcomes) = try delivery.deliver(batch)
        if let number { note(batch, number, outcomes[...]) }
        return (unhandled, outcomes)
    }

    /// Makes durable what was added.
    ///
    /// - Returns: the numbers of the entries.
    @discardableResult
    func sync() throws -> [UInt64] {
        if added.isEmpty { return [] }
        defer { added = [] }
        // Sinks write entries of their own meanwhile.
        return try journal.append(added)
    }

    /// Adds a batch to what the next `sync` makes durable. Only where something is.
    ///
    /// - Parameter isSettled: whether what failed to be handled in the batches before is among the changes.
    /// - Returns: whether it has an entry: there was something to say.
    func add(_ content: Content, isSettled: Bool) throws -> Bool {
        let hasNews =
            content.batch.count > 0 || !content.changes.isEmpty || !content.forwarded.isEmpty
            || !content.requests.isEmpty
        guard hasNews || hasMoved(by: content.signals) || !values.isEmpty else { return false }
        if try isSettled && unmarked.count > 0 && isToBeMarked {
            try mark()
        } else if unmarked.count == 0 {
            position.output = try delivery.output.place()
        }
        var entry = JournalEntry(writtenAt: .wallClock)
        content.batch.write(to: &entry)
        (entry[.signals], entry[.changes]) = (content.signals, content.changes)
        (entry[.answers], entry[.requests]) = (content.answers.bytes, content.requests)
        forward.append(content.forwarded, to: &entry)
        add(entry)
        return true
    }

    /// Whether a kill would make a difference: not when some seconds of a wall clock have passed, and nothing else.
    private func hasMoved(by signals: [UInt8]) -> Bool {
        var former = written
        former.handedOut = position.handedOut
        if hasWallClock, signals.isEmpty, position.passed < written.passed + .seconds(60) {
            (former.passed, former.accepted) = (position.passed, position.accepted)
        }
        return position != former
    }

    private func add(_ entry: consuming JournalEntry) {
        entry.values.merge(values) { $1 }
        entry.values[RunPosition.key] = position.bytes
        GapFillings.write(fillings, to: &entry)
        added.append(entry)
        (written, values, fillings) = (position, [:], [])
    }

    private func note(_ batch: OutgoingBatch, _ number: UInt64, _ outcomes: ArraySlice<Decision.Outcome>) {
        if batch.count == 0 {
            // Where nothing waits to leave, nothing of the entries so far does.
            if unmarked.count == 0 { (left, position.handedOut) = (number, number) }
            return
        }
        left = number
        unmarked = (unmarked.count + 1, unmarked.haveActions || !batch.calls.isEmpty)
        if !batch.gaps.isEmpty { fillings.append(GapFillings(entry: number, of: batch, outcomes)) }
    }

    /// To note that decisions have left, a run waits until they are on the disk: not for each batch in a flood, if what a kill leaves of
    /// them in a file can be cut off again, and none has called a handler.
    private var isToBeMarked: Bool {
        get throws { try unmarked.count >= 16 || unmarked.haveActions || delivery.output.place() == nil }
    }

    private func mark() throws {
        position.output = try delivery.output.position()
        position.handedOut = left
        unmarked = (0, false)
    }

    /// Notes that the last batches have left, so that they do not leave again.
    ///
    /// - Parameter changes: those that note what was not handled.
    func markHandedOut(_ changes: [UInt8] = []) throws {
        guard isDurable, unmarked.count > 0 || !changes.isEmpty || !fillings.isEmpty else { return }
        try mark()
        var entry = JournalEntry(writtenAt: .wallClock)
        entry[.changes] = changes
        add(entry)
        try sync()
    }
}
