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

    /// The name of the value in the journal.
    static func key(of id: String) -> String { "sink.\(id)" }

    init(entry: UInt64 = 0, reached: UInt64 = 0) { (self.entry, self.reached) = (entry, reached) }

    /// Nil if these bytes are none.
    init?(_ bytes: [UInt8]) {
        guard let fields = Value(json: bytes[...])?.map, let entry = fields["entry"]?.integer,
            let reached = fields["reached"]?.integer
        else { return nil }
        (self.entry, self.reached) = (UInt64(clamping: entry), UInt64(clamping: reached))
        missing = (fields["missing"]?.list ?? []).compactMap { $0.integer.map { UInt64(clamping: $0) } }
        delivered = Int(fields["delivered"]?.integer ?? 0)
        failedAttempts = Int(fields["failedAttempts"]?.integer ?? 0)
        dropped = Int(fields["dropped"]?.integer ?? 0)
        trouble = fields["trouble"]?.text
        isPaused = fields["paused"] == true
        stopped = fields["stopped"]?.text
    }

    var bytes: [UInt8] {
        var fields: Fields = [
            "entry": .integer(Int64(entry)), "reached": .integer(Int64(reached)),
            "missing": .list(missing.map { .integer(Int64($0)) }), "delivered": .integer(Int64(delivered)),
            "failedAttempts": .integer(Int64(failedAttempts)), "dropped": .integer(Int64(dropped)),
        ]
        fields["trouble"] = trouble.map { .text($0) }
        if isPaused { fields["paused"] = true }
        fields["stopped"] = stopped.map { .text($0) }
        return Array(Value.map(fields).json.utf8)
    }
}
