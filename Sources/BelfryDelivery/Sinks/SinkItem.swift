import BelfryModel

/// A decision that is to be delivered.
struct SinkItem: Sendable {
    /// Of the decision in the journal, from 1.
    var number: UInt64
    /// The entry of the journal that it is in.
    var entry: UInt64
    /// When it became durable.
    var writtenAt: Instant
    var subject: String
    /// Of the decision, the same in every attempt: a receiver that gets it twice knows it by that.
    var id: String
    /// A line of JSON, without its end.
    var line: [UInt8]
    /// Of the queue that it is in: how often the sink was resumed after its journal was broken.
    var turn = 0

    var decision: Fields { Value(json: line[...])?.map ?? [:] }

    /// What became of it, as a line of a signal. Its id comes from the decision's: told twice, it counts once.
    ///
    /// - Parameters:
    ///   - sink: the id of the sink that tells.
    ///   - part: of the id, where one type may be told of more than once.
    func signal(_ type: String, from sink: String, _ data: Fields, part: String? = nil) -> [UInt8] {
        let end = part.map { "/\($0)" } ?? ""
        var signal: Fields = [
            "specversion": "1.0", "id": .text("\(id)/\(sink)/\(type)\(end)"), "source": .text("/sinks/\(sink)"),
            "type": .text(type), "subject": .text(subject),
        ]
        signal["channel"] = decision["channel"]
        signal["data"] = .map(data)
        return Array(Value.map(signal).json.utf8)
    }
}

extension SinkItem {
    /// Nil if the decision has no subject or no id.
    init?(_ number: UInt64, _ entry: UInt64, writtenAt: Instant, _ decision: Fields, line: [UInt8]) {
        guard let subject = decision["subject"]?.text, let id = decision["id"]?.text else { return nil }
        self.init(number: number, entry: entry, writtenAt: writtenAt, subject: subject, id: id, line: line)
    }
}

/// How an attempt ended.
enum SinkOutcome: Sendable, Equatable {
    case taken
    /// The sink as a whole has trouble.
    case failed(String, pause: Duration? = nil)
    /// The sink does not want this one as it is, nor others of its subject for so long; those of others may go.
    case refused(String, pause: Duration? = nil)
    /// The sink wants this one never.
    case dropped(String)
    /// The sink wants nothing any more.
    case gone(String)
}
