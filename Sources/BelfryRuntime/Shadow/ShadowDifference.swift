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
}
