import BelfryCore
import BelfryJournal
import BelfryModel
import BelfryStore

/// The decisions in a journal, in their order, as they have left.
///
/// A reader has a cursor: the number of the last decision that it has. No decision is skipped while a run appends to the journal. A decision
/// whose action has not ended yet, and those behind it, are not there yet.
public final class DecisionFeed {
    private let reader: JournalReader
    /// Begins with the oldest entry that is kept.
    private let reread: () throws -> JournalReader
    /// Entries that were read and have not been given, the first one first.
    private var waiting: [Entry] = []
    private let cursor: UInt64
    /// How many decisions there were at the end of what was read.
    public private(set) var count: UInt64 = 0
    /// The last entry that was read: all decisions up to there are among `count`.
    package var entry: UInt64 { reader.last }
    /// Before the first entry that was read; nil as long as there is none.
    public private(set) var beginning: DecisionCursor?
    /// What entries have to have in their lines to be of interest; nil: nothing.
    private var wanted: String?

    private struct Entry {
        let entry: JournalEntry
        let provenance: [UInt8]?
        let batch: OutgoingBatch
        /// What belongs into its gaps; nil as long as that is not known.
        var fillings: [Int: String]?
    }

    /// A decision, and what it came of.
    public struct Item: Sendable {
        /// From 1.
        public let number: UInt64
        /// Behind it.
        public let cursor: DecisionCursor
        /// A line of JSON, without its end.
        public let line: [UInt8]
        /// The entry that it is in.
        let entry: JournalEntry
        /// What has decided it, as JSON.
        let provenance: [UInt8]?
        /// Its signal, where that was found in an entry before.
        fileprivate(set) var earlierSignal: Fields?

        /// The number of the entry that it is in, and when that was written.
        package var place: (entry: UInt64, writtenAt: Instant) { (entry.number, entry.writtenAt) }

        public var decision: Fields { Value(json: line[...])?.map ?? [:] }

        /// The signal that caused it; nil if that is not kept. One of an entry before has to have an id, and only `find` looks for it.
        public var signal: Fields? { ownSignal ?? earlierSignal }

        /// The one in its own entry.
        fileprivate var ownSignal: Fields? {
            let lines = entry[.signals].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let (places, own) = (AnswerPlaces(bytes: entry[.answers]), Int(number - entry.decisionsBefore) - 1)
            if let place = (0..<min(places.count, lines.count)).first(where: { places[$0].contains(own) }) {
                return Value(json: lines[place])?.map
            }
            // A run over a file notes no answers; of a timer it is the signal that armed it.
            let decision = decision
            return lines.lazy.compactMap { Value(json: $0)?.map }.first { Self.isCause($0, of: decision) }
        }

        fileprivate static func isCause(_ signal: Fields, of decision: Fields) -> Bool {
            [("subject", "subject"), ("id", "cause")].allSatisfy { own, other in
                guard let text = signal[own]?.text, let wanted = decision[other]?.text else { return false }
                return text.isSameText(as: wanted)
            }
        }

        /// The decision with all that is known of it: its signal, the generation of the configuration, and the plugins.
        public var story: Fields {
            var fields: Fields = ["decision": .map(decision)]
            fields["signal"] = signal.map { .map($0) }
            let known = provenance.flatMap { Value(json: $0[...])?.map }
            for entry in known?.entries ?? [] { fields[entry.key] = entry.value }
            fields["cursor"] = .text(cursor.text)
            return fields
        }
    }

    /// - Parameters:
    ///   - store: the store that the journal belongs to.
    ///   - cursor: the number of the decision to begin behind; 0 for the oldest that is kept.
    /// - Throws: `JournalError`.
    public init(of store: StoreLocation, after cursor: UInt64 = 0) throws {
        reader = try JournalReader(store.journal, afterDecision: cursor)
        reread = { try JournalReader(store.journal) }
        self.cursor = cursor
    }

    /// Reads a journal that this process has open, as far as it is durable.
    ///
    /// - Parameter entry: one that the decision to begin with comes behind; 0 for the oldest that is kept.
    public init(of journal: Journal, after cursor: UInt64 = 0, entry: UInt64 = 0) throws {
        reader = try entry > 0 ? journal.reader(after: entry) : journal.reader(afterDecision: cursor)
        reread = { try journal.reader() }
        self.cursor = cursor
    }

    /// Whether the journal does not keep what comes next any more: then `next` throws.
    public var hasLost: Bool { reader.hasLost }

    /// Whether decisions wait for what their actions come to.
    public var isBlocked: Bool { !waiting.isEmpty }

    /// The next decisions; empty if there are none yet.
    public func next() throws -> [Item] {
        while true {
            if let first = waiting.first, let fillings = first.fillings {
                waiting.removeFirst()
                let items = items(of: first, fillings)
                if !items.isEmpty { return items }
                continue
            }
            guard let entry = try reader.next() else { return [] }
            try take(entry)
        }
    }

    /// The decision of that id, with its signal; nil if it is not there. Entries that do not name it are passed over.
    public func find(_ id: String) throws -> Item? {
        wanted = Value.text(id).json
        while true {
            let items = try next()
            if items.isEmpty { return nil }
            let found = items.first { $0.decision["id"]?.text?.isSameText(as: id) == true }
            guard var item = found else { continue }
            if item.ownSignal == nil { item.earlierSignal = try earlierSignal(of: item) }
            return item
        }
    }

    /// The last signal of an entry before that is the cause by its id, such as the one that armed a timer.
    private func earlierSignal(of item: Item) throws -> Fields? {
        let decision = item.decision
        guard let cause = decision["cause"]?.text, !cause.isEmpty else { return nil }
        let (reader, quoted) = (try reread(), Value.text(cause).json)
        var found: Fields?
        while let entry = try reader.next(), entry.number < item.entry.number {
            let signals = entry[.signals]
            // To read all of them would take longer.
            guard !signals.isEmpty, signals.contains(quoted) || signals.contains(UInt8(ascii: "\\")) else { continue }
            let known = signals.split(separator: UInt8(ascii: "\n")).compactMap { Value(json: $0)?.map }
            found = known.last { Item.isCause($0, of: decision) } ?? found
        }
        return found
    }

    private func take(_ entry: JournalEntry) throws {
        for fillings in GapFillings.all(in: entry) ?? [] {
            guard let index = waiting.firstIndex(where: { $0.entry.number == fillings.entry }) else { continue }
            waiting[index].fillings = fillings.texts
        }
        if beginning == nil { beginning = DecisionCursor(number: entry.decisionsBefore, series: reader.series) }
        count = entry.decisionsBefore + UInt64(entry.decisions)
        if entry.decisions == 0 || count <= cursor { return }
        if let wanted, !entry[.lines].contains(wanted) { return }
        let batch = try OutgoingBatch(entry)
        waiting.append(
            Entry(
                entry: entry, provenance: reader.values[Provenance.journalKey], batch: batch,
                fillings: batch.gaps.isEmpty ? [:] : nil))
    }

    private func items(of entry: Entry, _ fillings: [Int: String]) -> [Item] {
        let lines = entry.batch.lines(fillings: fillings).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let series = reader.series
        return lines.dropLast().enumerated().compactMap { index, line in
            let number = entry.entry.decisionsBefore + UInt64(index) + 1
            // Those of an erased subject are blank.
            return number <= cursor || line.first != UInt8(ascii: "{")
                ? nil
                : Item(
                    number: number, cursor: DecisionCursor(number: number, series: series), line: Array(line),
                    entry: entry.entry, provenance: entry.provenance)
        }
    }
}

/// There is no journal that another process could read.
public struct NoJournal: Error, CustomStringConvertible {
    let store: StoreLocation

    package init(store: StoreLocation) { self.store = store }

    public var description: String {
        let why = store.journalPath.map { "there is no '\($0)'" } ?? "the store is in memory, and so is its journal"
        return """
            there is no journal to read
              why: \(why)
              fix: name a store on a disk that a run has used, for example --store sqlite:belfry.db
            """
    }
}

/// The number of the first entry that the journal of a store still keeps; entries begin with 1.
///
/// - Throws: `JournalError`.
public func firstEntry(in store: StoreLocation) throws -> UInt64 { try JournalReader(store.journal).last + 1 }

/// The lines of the signals in the journal of a store, in their order.
///
/// - Throws: `JournalError`; what `body` throws.
public func forEachSignal(in store: StoreLocation, _ body: ([UInt8]) throws -> Void) throws {
    let reader = try JournalReader(store.journal)
    while let entry = try reader.next() { if !entry[.signals].isEmpty { try body(entry[.signals]) } }
}
