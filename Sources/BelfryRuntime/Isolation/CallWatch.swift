import BelfryEngine
import BelfryModel
import CLinux
import Glibc

/// Looks at a shard from time to time, and says when a call of a plugin takes too much.
struct CallWatch {
    /// How often a process is looked at, in ms; its memory, too.
    static let every: Int32 = 10
    /// How often a thread is, in ms. A call that does not return there ends all, so that it need not be told of at once.
    static let everyOfThread: Int32 = 50

    let place: Place
    var limits: Configuration.Limits
    /// What a process may take between two calls; nil: that is not watched.
    var patience: Patience?
    /// What was seen last.
    private var stretch = Stretch(CallNote())
    /// What that has taken so far, in ns.
    private var taken: Int64 = 0
    /// Whether the process has shown since then that it goes on.
    private var hasProgressed = true
    private var last: (processor: Int64, wall: Int64)
    private var lastMemory: Int64 = 0

    /// Where the shard is at work.
    enum Place: Equatable {
        case process(pid_t)
        /// Of this process. Memory is not looked at: all threads share it.
        case thread(Int32)

        var folder: String {
            switch self {
            case .process(let number): "/proc/\(number)"
            case .thread(let number): "/proc/self/task/\(number)"
            }
        }

        /// How often it is looked at, in ns.
        var every: Int64 {
            switch self {
            case .process: Int64(CallWatch.every) * 1_000_000
            case .thread: Int64(CallWatch.everyOfThread) * 1_000_000
            }
        }

        /// At most so much of the time between two looks counts as waiting, in ns. On a busy machine the watching thread runs late.
        var longestWait: Int64 {
            switch self {
            case .process: 2 * every
            case .thread: every
            }
        }

        /// In ns.
        var processorTime: Int64 {
            switch self {
            case .process(let number): belfry_processor_time(number)
            case .thread(let number): belfry_thread_time(number)
            }
        }
    }

    /// How long a process may show no progress between two calls.
    struct Patience {
        var time: Duration
        /// Whether to sleep counts: the process has something to do, and waits for nothing else.
        var countsSleep: Bool
    }

    /// What the process is at, as far as its note says: a call, or what lies between two.
    private struct Stretch: Equatable {
        let call: UInt32?
        let calls, piece: UInt32

        init(_ note: CallNote) { (call, calls, piece) = (note.currentNumber, note.number, note.piece) }
    }

    init(_ place: Place, _ limits: Configuration.Limits, patience: Patience? = nil) {
        (self.place, self.limits, self.patience) = (place, limits, patience)
        last = (place.processorTime, Self.wall)
    }

    /// Whether it is time to look again.
    var isDue: Bool { Self.wall - last.wall >= place.every }

    /// What there is too much of.
    struct Excess: Equatable {
        let cause: Decision.FaultCause
        /// The number of the call that takes it; nil outside of calls.
        var call: UInt32?
    }

    /// Looks once.
    mutating func look(_ note: CallNote) -> Excess? {
        let now = (processor: place.processorTime, wall: Self.wall)
        defer { last = now }
        let stretch = Stretch(note)
        if stretch.call != nil, takesTooMuchMemory { return Excess(cause: .memory, call: stretch.call) }
        guard stretch == self.stretch, !hasProgressed else {
            (self.stretch, taken, hasProgressed) = (stretch, 0, false)
            return nil
        }
        guard let most = mostTime else { return nil }
        // A busy machine is not the plugin's fault: time counts that the process took, or that it slept or was stopped.
        let waited = min(now.wall - last.wall, place.longestWait)
        taken += max(now.processor - last.processor, isIdle ? waited : 0)
        return taken > most.milliseconds * 1_000_000 ? Excess(cause: .timeout, call: stretch.call) : nil
    }

    /// Says that the process goes on: what it took since the last look is forgiven.
    mutating func noteProgress() { hasProgressed = true }

    /// From here on it may take so long between two calls, unless it may take longer already.
    mutating func extendPatience(to time: Duration) {
        if let patience { self.patience?.time = max(patience.time, time) }
    }

    /// Whether half the time between two calls is over.
    var isHalfway: Bool {
        guard stretch.call == nil, let patience else { return false }
        return taken > patience.time.milliseconds * 500_000
    }

    private var takesTooMuchMemory: Bool {
        if case .process = place { return memory > limits.memory.bytes }
        return false
    }

    /// What it is at may take so long; nil: as long as it likes.
    private var mostTime: Duration? { stretch.call == nil ? patience?.time : limits.call }

    private var isIdle: Bool { stretch.call != nil || patience?.countsSleep == true ? isWaiting : isStopped }

    /// Resident and its own, in bytes: what it shares is the host's.
    var memory: Int { ProcessMemory(in: place.folder).own }

    /// The same, when it is time to look; nil in between.
    mutating func memoryIfDue() -> Int? {
        let now = Self.wall
        guard now - lastMemory >= place.every else { return nil }
        lastMemory = now
        return memory
    }

    /// Whether its thread sleeps, is stopped, or has ended. One that waits for a page of the disk does not: that is the machine's time.
    private var isWaiting: Bool { state.map { "STtZ".contains($0) } ?? true }

    private var isStopped: Bool { state.map { "Tt".contains($0) } ?? false }

    /// As proc(5) has it; nil of a thread that has ended.
    private var state: Character? {
        // Behind the name, which may have blanks in it.
        let rest = textOfSystem(at: "\(place.folder)/stat").split(separator: ")").last
        return rest?.split(separator: " ").first?.first
    }

    /// In ns.
    static var wall: Int64 { Int64(MonotonicTime.now.nanoseconds) }
}
