import BelfryModel

/// When what waits is sent. It knows how many items there are, and no clock, no store and no network: times are counted from
/// the start of the forwarder.
struct ForwardSchedule {
    enum Step: Equatable {
        /// Send the batch under way again, or cut the next one.
        case attempt
        /// Nothing to do before then, or, if nil, before something new is committed.
        case rest(until: Duration?)
        /// There will be nothing to do any more.
        case end
    }

    /// Once there will be no more items: how often one batch is tried, and how long a pause in between may be.
    private static let lastAttempts = 4
    private static let longestLastPause = Duration.seconds(8)

    private let batchSize: Int
    private let every: Duration
    /// Items in the queue, those under way included. Below what is there for the moment between a commit and its announcement.
    private(set) var waiting: Int
    /// How many of them are in the batch under way.
    private var underway = 0
    /// When the oldest that is not under way has waited long enough, at the latest.
    private var due: Duration?
    private var pause: Pause?
    private var backoff = Backoff()
    private var isEnding = false
    private var hasGivenUp = false
    /// An operator wants nothing to be sent.
    var isPaused = false

    private struct Pause {
        var until: Duration
        /// Whether the endpoint named the time.
        var isAsked: Bool
    }

    /// - Parameter waiting: what an earlier run left. It has waited long enough.
    init(_ options: (batch: Int, every: Duration), waiting: Int) {
        (batchSize, every) = options
        self.waiting = waiting
        due = waiting > 0 ? .zero : nil
    }

    func next(at now: Duration) -> Step {
        if hasGivenUp { return .end }
        guard waiting > 0, !isPaused else { return isEnding ? .end : .rest(until: nil) }
        if let pause, now < pause.until { return .rest(until: pause.until) }
        if underway > 0 || isEnding || waiting >= batchSize { return .attempt }
        guard let due else { return .rest(until: nil) }
        return due <= now ? .attempt : .rest(until: due)
    }

    /// New items are in the queue.
    mutating func committed(_ count: Int, at now: Duration) {
        guard count > 0 else { return }
        waiting += count
        due = due ?? now + every
    }

    /// So many of those that wait are not there any more.
    mutating func forgot(_ count: Int) { waiting -= count }

    /// A batch of that many was cut from the front of the queue. What is left behind may be as old as it was. There may be items
    /// in it that were committed just now and are announced next.
    mutating func cut(_ count: Int) {
        underway = count
        if waiting <= count { due = nil }
    }

    /// There was nothing to cut.
    ///
    /// - Parameter waiting: what has come since.
    mutating func foundNothing(waiting: Int) {
        (self.waiting, underway) = (waiting, 0)
        if waiting <= 0 { due = nil }
    }

    /// The batch under way has arrived and is out of the queue.
    mutating func taken() {
        waiting -= underway
        (underway, pause, backoff) = (0, nil, Backoff())
    }

    /// The batch under way did not arrive; it will be sent again as it is.
    ///
    /// - Parameters:
    ///   - asked: how long the endpoint wants to be left alone.
    ///   - share: random, from 0 to 1.
    mutating func failed(at now: Duration, asked: Duration? = nil, share: Double) {
        let pause = backoff.pause(share: share)
        wait(max(pause, asked ?? .zero), at: now, isAsked: asked != nil)
    }

    /// The endpoint refuses the batch under way as it stands. Nothing gets better by hurrying.
    mutating func refused(at now: Duration) {
        wait(Backoff.longest, at: now, isAsked: false)
    }

    /// The batch under way goes back, to be cut into smaller ones at once.
    mutating func split() {
        (underway, due) = (0, .zero)
    }

    /// Sends what there is without waiting for company, and gives up when that fails a few times in a row. A pause is cut short,
    /// unless the endpoint asked for it.
    mutating func end(at now: Duration) {
        (isEnding, backoff) = (true, Backoff())
        guard let pause, pause.isAsked else { return self.pause = nil }
        hasGivenUp = pause.until > now + Self.longestLastPause
    }

    /// Sends nothing any more.
    mutating func giveUp() { hasGivenUp = true }

    private mutating func wait(_ duration: Duration, at now: Duration, isAsked: Bool) {
        pause = Pause(until: now + duration, isAsked: isAsked)
        if isEnding, backoff.failures >= Self.lastAttempts || duration > Self.longestLastPause { giveUp() }
    }
}
