import BelfryModel
import DequeModule

/// How far a sink has come in the journal: the last decision that was looked at, and those before it that are not delivered yet.
struct SinkWindow {
    /// The last decision that was looked at, and the last entry of which all were.
    private(set) var through: (number: UInt64, entry: UInt64)
    /// Those that an earlier process had not delivered up to there; nil: all that come are new.
    private var missing: Set<UInt64>
    private var slots: Deque<Slot> = []
    private var doneCount = 0
    /// Before an earlier process had come to this one, only what is missing is to be delivered.
    private let reached: UInt64

    private struct Slot {
        let number: UInt64
        let entry: UInt64
        let writtenAt: Instant
        let subject: String
        var isDone = false
    }

    /// - Parameters:
    ///   - entry: one that all that is missing comes behind.
    ///   - reached: the last decision that was looked at.
    init(entry: UInt64, reached: UInt64, missing: [UInt64]) {
        self.reached = reached
        self.missing = Set(missing)
        through = (min(reached, (missing.min() ?? .max) - 1), entry)
    }

    var count: Int { slots.count - doneCount }

    /// The last entry of which nothing is needed any more.
    var entry: UInt64 { slots.first.map { $0.entry - 1 } ?? through.entry }

    /// The last decision that was looked at, also by an earlier process.
    var last: UInt64 { max(through.number, reached) }

    /// Decisions up to `last` that are not done.
    var outstanding: [UInt64] { slots.filter { !$0.isDone }.map(\.number) + missing.sorted() }

    /// - Returns: whether it is to be delivered.
    mutating func add(_ item: SinkItem) -> Bool {
        if item.number <= reached, missing.remove(item.number) == nil {
            pass(item.number, entry: item.entry)
            return false
        }
        pass(item.number, entry: item.entry)
        slots.append(
            Slot(number: item.number, entry: item.entry, writtenAt: item.writtenAt, subject: item.subject))
        return true
    }

    mutating func pass(_ number: UInt64, entry: UInt64) {
        // Others of the entry may come behind it.
        through = (number, max(through.entry, entry - 1))
    }

    /// There is no decision that was not looked at, up to this one and this entry.
    mutating func reachEnd(_ number: UInt64, of entry: UInt64) {
        through = (max(through.number, number), max(through.entry, entry))
        missing = []
    }

    mutating func remove(_ number: UInt64) {
        guard let index = index(of: number), !slots[index].isDone else { return }
        slots[index].isDone = true
        doneCount += 1
        while slots.first?.isDone == true {
            slots.removeFirst()
            doneCount -= 1
        }
        if doneCount > 1024, doneCount > slots.count / 2 {
            slots.removeAll { $0.isDone }
            doneCount = 0
        }
    }

    private func index(of number: UInt64) -> Int? {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < slots.count && slots[low].number == number ? low : nil
    }

    /// What is not done and became durable before that time, in order.
    func waiting(writtenBefore time: Instant) -> [(subject: String, number: UInt64)] {
        slots.prefix { $0.writtenAt < time }.filter { !$0.isDone }.map { ($0.subject, $0.number) }
    }
}
