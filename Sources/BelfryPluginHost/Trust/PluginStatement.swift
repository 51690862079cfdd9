import BelfryEngine

/// What a signature is over: which plugin a file is, for which machine, and what is in it. `belfry plugins manifest` prints it.
///
/// So a signature binds the name and the version too: an old file cannot pass for a new one, nor one plugin for another.
public struct PluginStatement: Hashable, Sendable {
    public var id: String
    public var version: String
    public var abi: String
    public var platform: String
    public var digest: String

    public init(id: String, version: String, abi: String, platform: String, digest: String) {
        self.id = id
        self.version = version
        self.abi = abi
        self.platform = platform
        self.digest = digest
    }

    /// What a lock says of the file with that digest.
    package init(_ entry: PluginLock.Entry, platform: String, digest: String) {
        self.init(id: entry.id, version: entry.version, abi: entry.abi, platform: platform, digest: digest)
    }

    /// Five lines, each ended by LF. Nil where a text would break a line: two plugins must never have one statement.
    public var text: String? {
        let fields = [("id", id), ("version", version), ("abi", abi), ("platform", platform), ("digest", digest)]
        guard fields.allSatisfy({ Self.isOneLine($1) }) else { return nil }
        return fields.map { "\($0): \($1)\n" }.joined()
    }

    private static func isOneLine(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// This machine, as locks and signatures name it.
    public static var platform: String {
        #if arch(x86_64)
            "linux-x86_64"
        #elseif arch(arm64)
            "linux-aarch64"
        #else
            #error("name this platform")
        #endif
    }
}
