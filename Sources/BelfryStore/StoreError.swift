/// Why a store could not do what it was asked.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is; new kinds may come, so a `switch` needs a `default`.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Another process is using the store.
        public static let locked = Code(rawValue: "locked")
        /// There is no room left on the disk.
        public static let full = Code(rawValue: "full")
        /// A commit to a store that was opened for reading only, or one whose server takes no changes.
        public static let readOnly = Code(rawValue: "read-only")
        /// The operating system refuses this user.
        public static let permission = Code(rawValue: "permission")
        /// The file is something else.
        public static let notBelfry = Code(rawValue: "not-belfry")
        /// The store was written by a version that came later.
        public static let newer = Code(rawValue: "newer")
        /// The content of the file is broken.
        public static let damaged = Code(rawValue: "damaged")
        /// There is no store there, or no folder to put one in.
        public static let missing = Code(rawValue: "missing")
        /// The store was closed before.
        public static let closed = Code(rawValue: "closed")
        /// The server that it is on does not answer, or not any more; what was to be committed may have been.
        public static let unreachable = Code(rawValue: "unreachable")
        /// Something else has what is needed in the database, and has not let go of it for 2 s.
        public static let held = Code(rawValue: "held")
        /// Anything else.
        public static let failed = Code(rawValue: "failed")
    }

    public let code: Code
    /// The store as its user named it; `memory` for one in memory.
    public let path: String
    /// What happened, why, and what to do, each on a line of its own.
    public let message: String
    /// Of a store that is locked: where the process that has it can be reached; empty if that is not known, nil for a store that is not shared.
    public let holder: String?

    public init(code: Code, path: String, message: String, holder: String? = nil) {
        (self.code, self.path, self.message, self.holder) = (code, path, message, holder)
    }

    public var description: String { message }
}
