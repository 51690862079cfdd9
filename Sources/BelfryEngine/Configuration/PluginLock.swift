/// Which plugin files may be loaded: `belfry.lock`, as it was read.
public struct PluginLock: Sendable, Hashable {
    /// By plugin id, in file order.
    public var entries: [Entry] = []

    public init(entries: [Entry] = []) { self.entries = entries }

    /// What is known of one plugin.
    public struct Entry: Sendable, Hashable {
        public var id: String
        /// The name of its file, without a folder.
        public var file: String
        public var version: String
        /// `1.0`
        public var abi: String
        /// Whose signature it has to have, in addition to everything else.
        public var signer: String?
        /// `sha256:` and 64 hexadecimal digits, by platform (`linux-x86_64`).
        public var digests: [String: String]

        public init(
            id: String, file: String, version: String, abi: String, signer: String? = nil,
            digests: [String: String] = [:]
        ) {
            self.id = id
            self.file = file
            self.version = version
            self.abi = abi
            self.signer = signer
            self.digests = digests
        }
    }

    public subscript(id: String) -> Entry? { entries.first { $0.id == id } }
}
