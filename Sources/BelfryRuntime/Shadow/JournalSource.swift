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
        /// The last tick by then.
        let passed: Instant
        var next = 0

        var isTaken: Bool { next == block.count }
    }

    /// How many lines of the batch were taken.
    private var count = 0
    /// Up to where lines were taken, and the last tick by then.
    private var (place, passed) = (JournalPlace(nil), Instant.distantPast)
    /// What of the next entry was taken before.
    private var done = 0
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
    func begin(after position: RunPosition) throws { try begin(after: JournalPlace(position.input), position.passed) }

    /// The reader may have the file that was the journal's before.
    func readAnew() throws { try begin(after: place, passed) }

    private func begin(after place: JournalPlace, _ passed: Instant) throws {
        (self.place, self.passed, done) = (place, passed, place.lines)
        (entry, following) = (nil, nil)
        reader = try journal.reader(after: place.lines == 0 ? place.entry : place.entry - 1)
    }

    func next(wait: () throws -> Bool) throws -> LineReader.Line? {
        count = 0
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
            if count > 0, count + next.block.count > batchSize { return nil }
            (entry, following) = (next, nil)
        }
        count += 1
        return take()
    }

    private func take() -> LineReader.Line {
        entry!.next += 1
        let current = entry!
        if current.isTaken { entry = nil }
        let line = current.block.line(current.next - 1, end: current.isTaken ? 0 : 1)
        (place, passed) = (JournalPlace(behind: line.number, end: line.end), current.passed)
        return line
    }

    /// Whether there is a line.
    func hasNext() throws -> Bool {
        if nextBuffered() != nil { return true }
        if let failure { throw failure }
        return false
    }

    /// The next entry that has lines; nil if there is none yet. All lines before it are taken.
    private func read() -> Entry? {
        do {
            while let entry = try reader?.next() {
                bell.lastRead = entry.number
                let passed = max(passed, try entry.values[RunPosition.key].map { try RunPosition($0).passed } ?? passed)
                let lines = lines(of: entry, until: passed)
                done = 0
                if !lines.isEmpty { return Entry(block: block(lines), passed: passed) }
                place = JournalPlace(entry: entry.number, lines: 0)
            }
        } catch {
            failure = error
        }
        return nil
    }

    private typealias Line = (bytes: ArraySlice<UInt8>, place: JournalPlace)

    /// The signals of an entry, with their places, behind the tick that the run has seen before them. Not each tick has an entry of its own:
    /// one that fires nothing is noted with what comes next. Lines of an erased subject are blank.
    private func lines(of entry: JournalEntry, until passed: Instant) -> [Line] {
        let signals = entry[.signals].split(separator: UInt8(ascii: "\n"))
        let lines = signals.enumerated().dropFirst(done).map { index, line in
            (bytes: line, place: JournalPlace(entry: entry.number, lines: index + 1))
        }
        if passed == self.passed || Self.isTick(signals) { return lines }
        // Places of signals are not to depend on it: before them, it ends the entry before.
        let place = JournalPlace(entry: entry.number - (lines.isEmpty ? 0 : 1), lines: lines.isEmpty ? 1 : 0)
        return [(Array(#"{"type":"clock.advanced","time":"\#(passed)"}"#.utf8)[...], place)] + lines
    }

    /// Whether an entry is that of a tick in the input of the run, which comes alone.
    private static func isTick(_ signals: [ArraySlice<UInt8>]) -> Bool {
        signals.count == 1 && Value(json: signals[0])?.map?["type"] == "clock.advanced"
    }

    private func block(_ lines: [Line]) -> SignalBlock {
        var (bytes, places): ([UInt8], [SignalBlock.Line]) = ([], [])
        for line in lines {
            places.append(
                SignalBlock.Line(bytes.count..<bytes.count + line.bytes.count, number: line.place.number))
            bytes += line.bytes
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
        self.init(behind: position?.line ?? 0, end: position?.offset ?? 0)
    }

    /// - Parameters:
    ///   - number: of a line.
    ///   - end: 0 if that is the last one of its entry.
    init(behind number: Int, end: Int) {
        self.init(entry: UInt64(number >> Self.bits), lines: end == 0 ? 0 : number & (1 << Self.bits - 1))
    }

    /// As the number of a line, which no other line of the journal has: it stands for the id of a signal that has none.
    var number: Int { Int(entry) << Self.bits | lines }

    private static let bits = 20
}
