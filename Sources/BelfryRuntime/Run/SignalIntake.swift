import BelfrySignals
import CLinux
import Glibc
import Synchronization

/// A queue of signals in front of a run, bounded in signals and bytes.
///
/// Any thread gives; one run takes. The giver is told what became of each line when that is committed, once for each batch.
public final class SignalIntake: SignalSource, @unchecked Sendable {
    // Unchecked: what has no lock is the run's own.

    /// What comes of lines, in their order, as soon as it is committed; nil for those that will not be decided any more.
    public typealias Answer = @Sendable ([SignalResult]?) -> Void

    /// Why lines are not taken.
    public enum Refusal: Error {
        case full, closed
    }

    /// Is told what was committed, of signals and of timers.
    public typealias Observer = @Sendable (CommitNote) -> Void

    /// Readable when there is something to take.
    let descriptor: Int32
    private let limits: (signals: Int, bytes: Int)
    private let observer: Observer
    private let queue = Mutex(Queue())
    /// The block that lines are taken from, and its next line.
    private var block: (given: Given, next: Int)?
    /// Whose lines were taken and are not answered yet, the first one first.
    private var taken: [(given: Given, count: Int)] = []
    /// For how many of these lines `requests(at:)` was asked: they are in the group of batches that becomes durable next.
    private var written = 0
    private(set) var bytesRead = 0

    private struct Given {
        let block: SignalBlock
        let answer: Answer
    }

    private struct Queue {
        var given: [Given] = []
        /// Of those that are given and not answered yet.
        var (signals, bytes) = (0, 0)
        /// What there was no room for. It comes in its turn, before anything that is given later.
        var waiting: [Given] = []
        var isClosed = false
        /// Whether the run has ended.
        var isAbandoned = false
        var reloading: [@Sendable () -> Void] = []

        /// - Returns: whether there was room.
        mutating func take(_ given: Given, _ limits: (signals: Int, bytes: Int)) -> Bool {
            let isFull = signals + given.block.count > limits.signals || bytes + given.block.size > limits.bytes
            // What is larger than all the room comes alone.
            if isFull, signals > 0 { return false }
            self.given.append(given)
            signals += given.block.count
            bytes += given.block.size
            return true
        }
    }

    public init(signals: Int, bytes: Int, observer: @escaping Observer = { _ in }) {
        limits = (signals, bytes)
        self.observer = observer
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    }

    deinit { Glibc.close(descriptor) }

    // MARK: Giving

    /// How many signals and bytes are in it, decided ones included until they are committed.
    public var depth: (signals: Int, bytes: Int) { queue.withLock { ($0.signals, $0.bytes) } }

    public var isFull: Bool {
        queue.withLock { !$0.waiting.isEmpty || $0.signals >= limits.signals || $0.bytes >= limits.bytes }
    }

    /// - Parameter waits: whether a block that there is no room for comes as soon as there is.
    /// - Throws: `full` when there is no room for the block, or another one waits for room; `closed`.
    public func give(_ block: SignalBlock, waits: Bool = false, _ answer: @escaping Answer) throws(Refusal) {
        if block.count == 0 { return answer([]) }
        let given = Given(block: block, answer: answer)
        let refusal: Refusal? = queue.withLock { queue in
            if queue.isClosed { return .closed }
            if queue.waiting.isEmpty, queue.take(given, limits) { return nil }
            if waits { queue.waiting.append(given) }
            return waits ? nil : .full
        }
        if let refusal { throw refusal }
        eventfd_write(descriptor, 1)
    }

    /// Calls when the run has taken another configuration, or has ended.
    public func whenReloaded(_ body: @escaping @Sendable () -> Void) {
        let isOver = queue.withLock { queue in
            if !queue.isAbandoned { queue.reloading.append(body) }
            return queue.isAbandoned
        }
        if isOver { body() }
    }

    func didReload() {
        for body in queue.withLock({ $0.reloading.take() }) { body() }
    }

    /// What is in it is still decided; nothing more is taken, also of what waits for room.
    public func close() {
        let waiting = queue.withLock { queue in
            queue.isClosed = true
            return queue.waiting.take()
        }
        eventfd_write(descriptor, 1)
        for given in waiting { given.answer(nil) }
    }

    // MARK: Taking

    func next(wait: () throws -> Bool) throws -> LineReader.Line? {
        while true {
            if let line = nextBuffered() { return line }
            if queue.withLock({ $0.isClosed && $0.given.isEmpty }) { return nil }
            guard try wait() else { return nil }
            var count: eventfd_t = 0
            eventfd_read(descriptor, &count)
        }
    }

    func nextBuffered() -> LineReader.Line? {
        if block == nil {
            guard let given = queue.withLock({ $0.given.isEmpty ? nil : $0.given.removeFirst() }) else { return nil }
            block = (given, 0)
        }
        guard let (given, index) = block else { return nil }
        bytesRead += given.block.lines[index].range.count
        if index == 0 { taken.append((given, given.block.count)) }
        block = index + 1 < given.block.count ? (given, index + 1) : nil
        return given.block.line(index, end: bytesRead)
    }

    /// What the journal is to have of requests whose lines are the next that were taken and were not asked for yet.
    func requests(at places: [SignalPlace]) -> [UInt8] {
        var (rest, bytes): (ArraySlice<SignalPlace>, [UInt8]) = (places[...], [])
        var before = written
        written += places.count
        for (given, count) in taken {
            let skipped = min(before, count)
            before -= skipped
            let part = rest.prefix(count - skipped)
            rest = rest.dropFirst(part.count)
            guard !part.isEmpty else { continue }
            guard let (mark, first) = given.block.request else { continue }
            let done = given.block.count - count + skipped
            bytes += RequestPiece(mark: mark, first: first + done, results: Array(part)).line
        }
        return bytes
    }

    /// What became of the next lines that were taken.
    func answer(_ results: [SignalResult]) {
        var rest = results[...]
        written -= results.count
        while !rest.isEmpty, let (given, count) = taken.first {
            let part = rest.prefix(count)
            rest = rest.dropFirst(part.count)
            if part.count == count { taken.removeFirst() } else { taken[0].count -= part.count }
            release(part.count, part.count == count ? given.block.size : 0)
            given.answer(Array(part))
        }
    }

    private func release(_ signals: Int, _ bytes: Int) {
        let hasMore = queue.withLock { queue in
            queue.signals -= signals
            queue.bytes -= bytes
            let before = queue.waiting.count
            while let next = queue.waiting.first, queue.take(next, limits) { queue.waiting.removeFirst() }
            return queue.waiting.count < before
        }
        if hasMore { eventfd_write(descriptor, 1) }
    }

    func didCommit(_ note: CommitNote) { observer(note) }

    /// The run has ended: a caller that still waits is told that nothing comes any more.
    public func abandon() {
        close()
        let given = queue.withLock { queue in
            (queue.signals, queue.bytes, queue.isAbandoned) = (0, 0, true)
            return queue.given.take()
        }
        for given in taken.map(\.given) + given { given.answer(nil) }
        (taken, block, written) = ([], nil, 0)
        didReload()
    }
}

extension Array {
    fileprivate mutating func take() -> [Element] {
        defer { self = [] }
        return self
    }
}
