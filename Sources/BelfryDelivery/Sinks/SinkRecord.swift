import BelfryModel

/// What the journal knows of a sink: how far it is, and how it is doing.
struct SinkRecord: Sendable, Equatable {
    /// One that everything not delivered comes behind.
    var entry: UInt64 = 0
    /// The last decision that was looked at, and those up to there that are not delivered.
    var reached: UInt64 = 0
    var missing: [UInt64] = []
    var delivered = 0
    var failedAttempts = 0
    var dropped = 0
    /// Why the last attempt failed, if none has succeeded since.
    var trouble: String?
    var isPaused = false
    /// Why it gets nothing any more, until it is resumed.
    var stopped: String?
    /// Whether the configuration has lost it, and what waited for it was told of.
    var isRemoved = false

    private static let prefix = "sink."

    /// The name of the value in the journal.
    static func key(of id: String) -> String { prefix + id }

    /// Those among the values of a journal, by the ids of their sinks.
    static func all(in values: [String: [UInt8]]) -> [(id: String, record: SinkRecord)] {
        values.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }.compactMap { key, bytes in
            SinkRecord(bytes).map { (id: String(key.dropFirst(prefix.count)), record: $0) }
        }
    }

    /// How many decisions are not delivered, or not looked at yet.
    ///
    /// - Parameter decisions: how many there have been.
    func waiting(of decisions: UInt64) -> Int { missing.count + Int(decisions - min(decisions, reached)) }

    init(entry: UInt64 = 0, reached: UInt64 = 0) { (self.entry, self.reached) = (entry, reached) }

    /// Nil if these bytes are none.
    init?(_ bytes: [UInt8]) {
        guard let fields = Value(json: bytes[...])?.map, let entry = fields["entry"]?.integer,
            let reached = fields["reached"]?.integer
        else { return nil }
        (self.entry, self.reached) = (UInt64(clamping: entry), UInt64(clamping: reached))
        missing = (fields["missing"]?.list ?? []).flatMap { Self.numbers($0) }
        delivered = Int(fields["delivered"]?.integer ?? 0)
        failedAttempts = Int(fields["failedAttempts"]?.integer ?? 0)
        dropped = Int(fields["dropped"]?.integer ?? 0)
        trouble = fields["trouble"]?.text
        isPaused = fields["paused"] == true
        stopped = fields["stopped"]?.text
        isRemoved = fields["removed"] == true
    }

    var bytes: [UInt8] {
        var fields: Fields = [
            "entry": .integer(Int64(entry)), "reached": .integer(Int64(reached)),
            "missing": .list(ranges), "delivered": .integer(Int64(delivered)),
            "failedAttempts": .integer(Int64(failedAttempts)), "dropped": .integer(Int64(dropped)),
        ]
        fields["trouble"] = trouble.map { .text($0) }
        if isPaused { fields["paused"] = true }
        fields["stopped"] = stopped.map { .text($0) }
        if isRemoved { fields["removed"] = true }
        return Array(Value.map(fields).json.utf8)
    }

    // A sink that is away misses many in a row: those are noted as their first and their last one.

    private var ranges: [Value] {
        var ranges: [ClosedRange<UInt64>] = []
        for number in missing {
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.map { [.integer(Int64($0.lowerBound)), .integer(Int64($0.upperBound))] }
    }

    private static func numbers(_ range: Value) -> [UInt64] {
        guard let ends = range.list?.compactMap(\.integer), ends.count == 2, 0 <= ends[0], ends[0] <= ends[1] else {
            return []
        }
        return Array(UInt64(ends[0])...UInt64(ends[1]))
    }
}
