import BelfryEngine

/// A stored record that cannot be read.
public struct RecordFailure: Error, CustomStringConvertible {
    public var subject: String
    public var damage: RecordDamage

    public init(subject: String, damage: RecordDamage) {
        self.subject = subject
        self.damage = damage
    }

    public var description: String {
        """
        cannot read the record of subject '\(subject)'
          why: \(damage.reason)
          fix: \(fix); nothing was changed
        """
    }

    private var fix: String {
        damage.isNewer
            ? "run the newer belfry that wrote it"
            : "restore the store from a copy, or move such records into quarantine with 'belfry state verify --repair'"
    }
}
