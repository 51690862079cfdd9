/// What a shard's process was asked since it saved its records last: enough to make them again when it dies.
///
/// A durable run is told how records change, and journals that: the next process gets these changes, and has what the journal has. Else it
/// is asked the same again, which makes the same of records as long as plugins decide alike in every process.
struct SentRequests: ~Copyable {
    private let isDurable: Bool
    private var replays: [Replay] = []
    /// How many of them are answered.
    private var answered = 0
    /// How many bytes all of them are, and how many requests and signals were sent since one that saves.
    private var (size, requests, signals) = (0, 0, 0)
    /// How long the process took for what was answered since then, in ns, and since when it is at the first one without an answer.
    private var (taken, begin): (Int64, Int64) = (0, 0)

    /// What makes up for a request.
    private enum Replay {
        /// The same again, of so many bytes.
        case request(ShardRequest, size: Int)
        /// How records changed, in a durable run, once it is answered.
        case changes([UInt8])

        var size: Int {
            switch self {
            case .request(_, let size): size
            case .changes(let changes): changes.count
            }
        }
    }

    init(isDurable: Bool) { self.isDurable = isDurable }

    /// So much may come between two saves: to make up for it delays what is behind it. Requests of one signal each take longer than one of many.
    private static let mostRequests = 1 << 8
    private static let mostSignals = 1 << 13
    private static let mostBytes = 1 << 25
    private static let mostTime: Int64 = 50_000_000

    /// Whether all is saved that was answered.
    var isSaved: Bool { answered == 0 }

    /// Whether it is time to save.
    var isSaveDue: Bool {
        signals >= Self.mostSignals || size >= Self.mostBytes || taken >= Self.mostTime
            || requests >= Self.mostRequests
    }

    /// Notes a request that was sent, of so many bytes.
    mutating func add(_ request: ShardRequest, size: Int) {
        if replays.count == answered { begin = CallWatch.wall }
        if request.saves {
            (requests, signals, taken) = (0, 0, 0)
        } else {
            (requests, signals) = (requests + 1, signals + request.count)
        }
        replays.append(.request(request, size: size))
        self.size += size
    }

    /// The first request without an answer has one.
    ///
    /// - Parameters:
    ///   - saves: whether the process has saved its records with it.
    ///   - changes: how records changed, in a durable run.
    mutating func didAnswer(saves: Bool, changes: UnsafeRawBufferPointer) {
        if isDurable {
            size += changes.count - replays[answered].size
            replays[answered] = .changes(Array(changes))
        }
        answered += 1
        let now = CallWatch.wall
        (taken, begin) = (taken + now - begin, now)
        guard saves else { return }
        replays.removeFirst(answered)
        (answered, size) = (0, replays.reduce(0) { $0 + $1.size })
    }

    /// The process has died. What it has not answered is forgotten.
    mutating func processEnded() {
        replays.removeLast(replays.count - answered)
        size = replays.reduce(0) { $0 + $1.size }
    }

    /// Takes out what another process is to be told.
    mutating func takeReplays() -> [ShardFlight] {
        defer { (replays, answered, size, requests, signals, taken) = ([], 0, 0, 0, 0, 0) }
        if !isDurable {
            return replays.compactMap { if case .request(let request, _) = $0 { .replaying(request) } else { nil } }
        }
        let changes = replays.flatMap { replay -> [UInt8] in
            if case .changes(let changes) = replay { changes } else { [] }
        }
        return changes.isEmpty ? [] : [.replaying(changes)]
    }
}
