import BelfryModel

/// What a shard's process begins with.
struct ShardStart {
    /// The last tick.
    var passed: Instant
    /// Of records in memory.
    var capacity: Int
    /// The subjects whose records are in the trace; nil without one.
    var traced: Set<SubjectKey>?

    init(passed: Instant, capacity: Int, traced: Set<SubjectKey>?) {
        (self.passed, self.capacity, self.traced) = (passed, capacity, traced)
    }

    func write(to writer: inout MessageWriter) {
        writer.instant(passed)
        writer.number(capacity)
        writer.optional(traced) { $0.list($1) { $0.text($1.text) } }
    }

    init(_ reader: inout MessageReader) throws(MessageReader.Nonsense) {
        passed = try reader.instant()
        capacity = try reader.number()
        traced = try reader.optional { reader throws(MessageReader.Nonsense) in
            Set(try reader.list { reader throws(MessageReader.Nonsense) in SubjectKey(try reader.text()) })
        }
    }
}
