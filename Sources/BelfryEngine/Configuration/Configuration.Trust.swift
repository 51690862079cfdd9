extension Configuration {
    /// How `belfry.lock` is obeyed: docs/trust.md.
    public struct Trust: Sendable, Hashable {
        /// Nil: `enforce` where there is a lock, else `off`.
        public var mode: Mode?
        /// The file of those who may sign; nil: no signature is demanded.
        public var signers: String?

        public init() {}

        public enum Mode: String, Sendable, CaseIterable {
            /// What is not listed, or differs, does not load.
            case enforce
            /// It loads, with a warning.
            case warn
            /// The lock is not read.
            case off
        }
    }
}
