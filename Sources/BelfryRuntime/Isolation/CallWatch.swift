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
    /// The number of the call that was seen last.
    private var call: UInt32?
    /// What the call has taken so far, in ns.
    private var taken: Int64 = 0
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

    init(_ place: Place, _ limits: Configuration.Limits) {
        (self.place, self.limits) = (place, limits)
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
        guard note.current != nil else {
            call = nil
            return nil
        }
        if case .process = place, memory > limits.memory.bytes { return Excess(cause: .memory, call: note.number) }
        guard call == note.number else {
            (call, taken) = (note.number, 0)
            return nil
        }
        // A busy machine is not the plugin's fault: time counts that the process took, or that it slept or was stopped.
        let waited = min(now.wall - last.wall, place.longestWait)
        taken += max(now.processor - last.processor, isWaiting ? waited : 0)
        return taken > limits.call.milliseconds * 1_000_000 ? Excess(cause: .timeout, call: note.number) : nil
    }

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
    var isWaiting: Bool {
        // Behind the name, which may have blanks in it. Of a thread that has ended there is nothing.
        let text = textOfSystem(at: "\(place.folder)/stat")
        if text.isEmpty { return true }
        let rest = text.split(separator: ")").last ?? ""
        return rest.split(separator: " ").first.map { "STtZ".contains($0) } ?? false
    }

    /// In ns.
    static var wall: Int64 { Int64(MonotonicTime.now.nanoseconds) }
}
