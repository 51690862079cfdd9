import BelfryEngine

/// A record that cannot be read.
public struct RecordFailure: Error, CustomStringConvertible {
    public var subject: String
    public var damage: RecordDamage
    /// Whether it is in a store, which the command looks after; else the caller of a core keeps it.
    public var isStored: Bool

    public init(subject: String, damage: RecordDamage, isStored: Bool = true) {
        self.subject = subject
        self.damage = damage
        self.isStored = isStored
    }

    public var description: String {
        """
        cannot read the record of subject '\(subject)'
          why: \(damage.reason)
          fix: \(fix); nothing was changed
        """
    }

    /// What there is to do about it.
    public var fix: String {
        if damage.isNewer { return "run the newer belfry that wrote it" }
        return isStored
            ? "restore the store from a copy, or move such records into quarantine with 'belfry state verify --repair'"
            : "pass a copy of it from before, or an empty record, with which the subject starts afresh"
    }
}

extension SubjectRecord {
    /// Reads a record, and says which one it is if it cannot.
    ///
    /// - Parameter isStored: whether it is in a store; else the caller of a core keeps it.
    package init(
        of subject: String, _ bytes: [UInt8], _ directory: StateDirectory? = nil, isStored: Bool = true
    ) throws(RecordFailure) {
        do throws(RecordDamage) {
            self = try SubjectRecord(subject: subject, reading: bytes, directory)
        } catch {
            throw RecordFailure(subject: subject, damage: error, isStored: isStored)
        }
    }
}
