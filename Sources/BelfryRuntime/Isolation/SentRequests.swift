/// What a shard's process was asked since it saved its records last. When it dies, the next one is asked the same.
///
/// What comes of a request depends on the records, the signals and the calls that are not made, and on nothing else: so records become again
/// what they were.
struct SentRequests: ~Copyable {
    private var requests: [Sent] = []
    /// How many of them are answered.
    private var answered = 0
    /// What all of them come to.
    private var (signals, size) = (0, 0)
    /// Its memory is used again.
    private var writer = MessageWriter()

    private struct Sent {
        let message: [UInt8]
        let signals: Int
    }

    /// So many signals may come between two saves: to decide them again delays those behind them.
    private static let mostSignals = 1 << 13
    private static let mostBytes = 1 << 25

    /// Whether all is saved that was answered.
    var isSaved: Bool { answered == 0 }

    /// Whether it is time to save.
    var areMany: Bool { signals >= Self.mostSignals || size >= Self.mostBytes }

    /// Keeps a request that is to be sent.
    ///
    /// - Returns: the message to send.
    mutating func add(_ request: ShardRequest) -> [UInt8] {
        writer.removeAll()
        request.write(to: &writer)
        let sent = Sent(message: writer.array, signals: request.count)
        requests.append(sent)
        count(sent, 1)
        return sent.message
    }

    /// The first one without an answer has one.
    ///
    /// - Parameter saves: whether the process has saved its records with it.
    mutating func didAnswer(saves: Bool) {
        answered += 1
        guard saves else { return }
        for sent in requests.prefix(answered) { count(sent, -1) }
        requests.removeFirst(answered)
        answered = 0
    }

    /// The process has died. What it has not answered is forgotten.
    mutating func processEnded() {
        for sent in requests.dropFirst(answered) { count(sent, -1) }
        requests.removeLast(requests.count - answered)
    }

    /// Takes all requests out, for another process.
    mutating func takeAll() throws(MessageReader.Nonsense) -> [ShardRequest] {
        var all: [ShardRequest] = []
        for sent in requests {
            var reader = MessageReader(sent.message)
            all.append(try ShardRequest(&reader))
        }
        (requests, answered, signals, size) = ([], 0, 0, 0)
        return all
    }

    private mutating func count(_ sent: Sent, _ sign: Int) {
        signals += sign * sent.signals
        size += sign * sent.message.count
    }
}
