import BelfryModel

/// What a shard's process begins with.
struct ShardStart {
    /// The last tick.
    var passed: Instant
    /// Of records in memory.
    var capacity: Int
    /// Whether a journal gets the signals that were decided, and how records changed.
    var hasJournal: Bool
    /// The last save of records that is complete.
    var save: UInt32
    /// The subjects whose records are in the trace; nil without one.
    var traced: Set<SubjectKey>?

    func write(to writer: inout MessageWriter) {
        writer.instant(passed)
        writer.number(capacity)
        writer.bool(hasJournal)
        writer.number(save)
        writer.optional(traced) { $0.list($1) { $0.text($1.text) } }
    }
}

extension ShardStart {
    init(_ reader: inout MessageReader) throws(MessageReader.Nonsense) {
        passed = try reader.instant()
        capacity = try reader.number()
        hasJournal = try reader.bool()
        save = UInt32(truncatingIfNeeded: try reader.number())
        traced = try reader.optional { reader throws(MessageReader.Nonsense) in
            Set(try reader.list { reader throws(MessageReader.Nonsense) in SubjectKey(try reader.text()) })
        }
    }
}
