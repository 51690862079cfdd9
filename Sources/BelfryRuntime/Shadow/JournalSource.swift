import BelfryJournal
import BelfryModel
import BelfrySignals
import CLinux
import Glibc

/// The signals and the ticks in the journal of a run, as the input of another one, also while that journal grows.
///
/// The number of a line is its place (`JournalPlace`); it ends with 0 if its entry is done then.
final class JournalSource: SignalSource {
    /// So many µs after a pause, what has come in the meantime becomes one batch.
    private static let linger: UInt32 = 20_000

    let input: SignalInput
    private let bell: JournalBell
    private let journal: Journal
    private let batchSize: Int
    private var reader: JournalReader?
    /// The entry that lines are taken from, and one that was read and does not fit into the batch.
    private var (entry, following): (Entry?, Entry?)
    private struct Entry {
        let block: SignalBlock
        var next = 0

        var isTaken: Bool { next == block.count }
    }

    /// How many lines of the batch were taken.
    private var taken = 0
    /// What of the first entry was done by an earlier run.
    private var done = 0
    /// The last tick that was read.
    private var passed = Instant.distantPast
    private var failure: (any Error)?
    private(set) var bytesRead = 0

    /// - Parameters:
    ///   - store: what tells the store of the journal from others.
    ///   - batchSize: so many lines make a batch, with the rest of their entry.
    init(_ journal: Journal, of store: String, batchSize: Int, _ bell: JournalBell) {
        (self.journal, self.batchSize, self.bell) = (journal, batchSize, bell)
        input = SignalInput(bell.descriptor, journalOf: store)
    }

    /// - Parameter position: where an earlier run has come to.
    func begin(after position: RunPosition) throws {
        let place = JournalPlace(position.input)
        passed = position.passed
        done = place.lines
        reader = try journal.reader(after: place.lines == 0 ? place.entry : place.entry - 1)
    }

    func next(wait: () throws -> Bool) throws -> LineReader.Line? {
        taken = 0
        while true {
            // What comes before that is in the journal already.
            let isLast = bell.isClosed
            if let line = nextBuffered() { return line }
            if let failure { throw failure }
            if isLast { return nil }
            guard try wait() else { return nil }
            var count: eventfd_t = 0
            eventfd_read(bell.descriptor, &count)
            // Nothing waits for what comes of it: one commit for many entries costs less.
            if !bell.isClosed { usleep(Self.linger) }
        }
    }

    func nextBuffered() -> LineReader.Line? {
        if entry == nil {
            guard let next = following ?? read() else { return nil }
            following = next
            if taken > 0, taken + next.block.count > batchSize { return nil }
            (entry, following) = (next, nil)
        }
        taken += 1
        entry!.next += 1
        let current = entry!
        if current.isTaken { entry = nil }
        return current.block.line(current.next - 1, end: current.isTaken ? 0 : 1)
    }

    /// The next entry that has lines; nil if there is none yet.
    private func read() -> Entry? {
        do {
            while let entry = try reader?.next() {
                bell.lastRead = entry.number
                let lines = try lines(of: entry).dropFirst(done)
                defer { done = 0 }
                if !lines.isEmpty { return Entry(block: block(lines, of: entry.number)) }
            }
        } catch {
            failure = error
        }
        return nil
    }

    /// The signals of an entry, or the tick that it notes. Lines of an erased subject are blank.
    private func lines(of entry: JournalEntry) throws -> [ArraySlice<UInt8>] {
        let lines = entry[.signals].split(separator: UInt8(ascii: "\n"))
        guard lines.isEmpty, let bytes = entry.values[RunPosition.key] else { return lines }
        let passed = try RunPosition(bytes).passed
        guard passed > self.passed else { return [] }
        self.passed = passed
        return [Array(#"{"type":"clock.advanced","time":"\#(passed)"}"#.utf8)[...]]
    }

    /// - Parameter lines: at their places in the entry.
    private func block(_ lines: ArraySlice<ArraySlice<UInt8>>, of entry: UInt64) -> SignalBlock {
        var (bytes, places): ([UInt8], [SignalBlock.Line]) = ([], [])
        for (index, line) in zip(lines.indices, lines) {
            let place = JournalPlace(entry: entry, lines: index + 1)
            places.append(SignalBlock.Line(bytes.count..<bytes.count + line.count, number: place.number))
            bytes += line
        }
        bytesRead += bytes.count
        return bytes.withUnsafeBytes { SignalBlock($0, lines: places) }
    }
}

/// How much of a journal is done: an entry and, if that is not done as a whole, so many of its lines.
struct JournalPlace {
    let entry: UInt64
    let lines: Int

    init(entry: UInt64, lines: Int) { (self.entry, self.lines) = (entry, lines) }

    /// Nil: the beginning.
    init(_ position: InputPosition?) {
        let number = position?.line ?? 0
        self.init(entry: UInt64(number >> Self.bits), lines: position?.offset == 0 ? 0 : number & (1 << Self.bits - 1))
    }

    /// As the number of a line, which no other line of the journal has: it stands for the id of a signal that has none.
    var number: Int { Int(entry) << Self.bits | lines }

    private static let bits = 20
}
