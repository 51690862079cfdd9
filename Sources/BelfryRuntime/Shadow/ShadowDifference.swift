import BelfryModel

/// A candidate that two configurations decided differently.
public enum ShadowDifference {
    public enum Kind: String, Sendable, CaseIterable {
        /// For example created here and suppressed there.
        case outcome
        /// Created on both sides, with other content.
        case content
        /// Refused on both sides, for other reasons.
        case reasons
    }

    /// A line of JSON: `a` is what is in force, `b` the shadow.
    static func line(_ kind: Kind, _ a: ComparedLine?, _ b: ComparedLine?) -> [UInt8] {
        var fields: Fields = ["kind": .text(kind.rawValue)]
        for entry in (a ?? b)!.question.entries { fields[entry.key] = entry.value }
        fields["a"] = ComparedLine.value(a)
        fields["b"] = ComparedLine.value(b)
        return Array((Value.map(fields).json + "\n").utf8)
    }
}
