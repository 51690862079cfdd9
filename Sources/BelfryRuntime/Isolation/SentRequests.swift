/// What a shard's process was asked since it saved its records last: enough to make them again when it dies.
///
/// A durable run is told how records change, and journals that: the next process gets these changes, and has what the journal has. Else it
/// is asked the same again, which makes the same of records as long as plugins decide alike in every process.
struct SentRequests: ~Copyable {
    private let isDurable: Bool
    /// Of each request, in a durable run how records changed, once it is answered; else the message that was sent.
    private var replays: [[UInt8]] = []
    /// How many of them are answered.
    private var answered = 0
    /// What all of them come to, and how many requests and signals were sent since one that saves.
    private var (size, requests, signals) = (0, 0, 0)
    /// How long the process took for what was answered since then, in ns, and since when it is at the first one without an answer.
    private var (taken, begin): (Int64, Int64) = (0, 0)
    /// Its memory is used again.
    private var writer = MessageWriter()

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

    /// Notes a request that is to be sent.
    ///
    /// - Returns: the message to send.
    mutating func add(_ request: ShardRequest) -> [UInt8] {
        writer.removeAll()
        request.write(to: &writer)
        let message = writer.array
        if replays.count == answered { begin = CallWatch.wall }
        if request.saves {
            (requests, signals, taken) = (0, 0, 0)
        } else {
            (requests, signals) = (requests + 1, signals + request.count)
        }
        replays.append(message)
        size += message.count
        return message
    }

    /// The first request without an answer has one.
    ///
    /// - Parameters:
    ///   - saves: whether the process has saved its records with it.
    ///   - changes: how records changed, in a durable run.
    mutating func didAnswer(saves: Bool, changes: UnsafeRawBufferPointer) {
        if isDurable {
            size += changes.count - replays[answered].count
            replays[answered] = Array(changes)
        }
        answered += 1
        let now = CallWatch.wall
        (taken, begin) = (taken + now - begin, now)
        guard saves else { return }
        replays.removeFirst(answered)
        (answered, size) = (0, replays.reduce(0) { $0 + $1.count })
    }

    /// The process has died. What it has not answered is forgotten.
    mutating func processEnded() {
        replays.removeLast(replays.count - answered)
        size = replays.reduce(0) { $0 + $1.count }
    }

    /// Takes out what another process is to be told.
    mutating func takeReplays() throws(MessageReader.Nonsense) -> [ShardFlight] {
        defer { (replays, answered, size, requests, signals, taken) = ([], 0, 0, 0, 0, 0) }
        if isDurable {
            let changes = replays.flatMap(\.self)
            return changes.isEmpty ? [] : [.replaying(changes)]
        }
        var flights: [ShardFlight] = []
        for message in replays {
            var reader = MessageReader(message)
            if let flight = ShardFlight.replaying(try ShardRequest(&reader)) { flights.append(flight) }
        }
        return flights
    }
}
