/// Why a plugin, or a folder of plugins, is not used: everything that is wrong with it, at once.
///
/// A refusal concerns one file. It never ends the process, and the plugins beside it load.
public struct PluginRefusal: Error, Sendable, Hashable, Codable {
    /// What is refused.
    public enum Subject: String, Sendable, Codable { case plugin, folder }

    /// One thing that is wrong: for machines, for people, and what to do.
    public struct Difference: Error, Sendable, Hashable, Codable {
        public let code: Code
        /// One phrase; where it is a mismatch, "plugin has; host has".
        public let why: String
        public let fix: String

        public init(_ code: Code, why: String, fix: String) {
            self.code = code
            self.why = why
            self.fix = fix
        }
    }

    /// A word for machines; more may be added.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public var subject: Subject
    /// The file or folder as it was found, not its private copy.
    public var path: String
    /// Never empty.
    public var differences: [Difference]
    /// What the plugin wrote to its standard error while it was scanned; nil if nothing.
    public var detail: String?
    /// Of the lock, as far as it is known there.
    public var id: String?
    /// Of the file, where the lock was asked.
    public var digest: String?

    public init(_ subject: Subject = .plugin, path: String, differences: [Difference], detail: String? = nil) {
        self.subject = subject
        self.path = path
        self.differences = differences
        self.detail = detail
    }

    public init(_ subject: Subject = .plugin, path: String, _ code: Code, why: String, fix: String) {
        self.init(subject, path: path, differences: [Difference(code, why: why, fix: fix)])
    }
}

extension PluginRefusal.Code {
    /// The file or folder cannot be read, or copied.
    public static let unreadable = Self(rawValue: "unreadable")
    /// Every user could change it, or it is a link out of its folder.
    public static let untrusted = Self(rawValue: "untrusted")
    /// The file is no plugin at all.
    public static let notAPlugin = Self(rawValue: "not-a-plugin")
    /// The file is cut short, or made for another machine.
    public static let damaged = Self(rawValue: "damaged")
    /// The system's loader refused it.
    public static let notLoadable = Self(rawValue: "not-loadable")
    /// Another magic, ABI, size or flags than the host's.
    public static let otherABI = Self(rawValue: "other-abi")
    /// The plugin's own decision: NULL from its entry, or a failed `init`.
    public static let declined = Self(rawValue: "declined")
    /// Something required is missing from a table.
    public static let incomplete = Self(rawValue: "incomplete")
    /// A description that contradicts itself.
    public static let contradiction = Self(rawValue: "contradiction")
    /// Its id or a name is taken by another plugin.
    public static let duplicate = Self(rawValue: "duplicate")
    /// The lock lists no such file.
    public static let notListed = Self(rawValue: "not-listed")
    /// The lock lists other contents.
    public static let modified = Self(rawValue: "modified")
    /// A signature is demanded, and there is none.
    public static let unsigned = Self(rawValue: "unsigned")
    /// Its signature is damaged, or over something else.
    public static let badSignature = Self(rawValue: "bad-signature")
    /// Its signer is not among those who may sign.
    public static let unknownSigner = Self(rawValue: "unknown-signer")
    /// It is signed by another than the lock lists.
    public static let wrongSigner = Self(rawValue: "wrong-signer")
    /// The key that signed it is not valid now.
    public static let expired = Self(rawValue: "expired")
    /// It is older, or another, than the lock says.
    public static let downgraded = Self(rawValue: "downgraded")
    /// It ended the process that scanned it.
    public static let crashed = Self(rawValue: "crashed")
    /// It kept the process that scanned it beyond the deadline.
    public static let hung = Self(rawValue: "hung")
    /// The process that scanned it gave no usable answer.
    public static let noAnswer = Self(rawValue: "no-answer")
}

extension PluginRefusal: CustomStringConvertible {
    /// Whether it may not be loaded because of the lock or its signature.
    public var isOfTrust: Bool {
        let codes: [Code] = [
            .notListed, .modified, .unsigned, .badSignature, .unknownSigner, .wrongSigner, .expired, .downgraded,
        ]
        return differences.contains { codes.contains($0.code) }
    }

    /// The headline, one `why:` line for each difference, then each fix once.
    public var description: String { text(under: headline) }

    /// The same of a plugin that is loaded nevertheless.
    public var asDoubt: String {
        text(under: "plugin '\(fileName(of: path))' is loaded, and would not be if trust were enforced")
    }

    private func text(under headline: String) -> String {
        var lines = [headline]
        lines += differences.map { "  why: \($0.why)" }
        var fixes: [String] = []
        for difference in differences where !fixes.contains(difference.fix) { fixes.append(difference.fix) }
        lines += fixes.map { "  fix: \($0)" }
        if let detail { lines += detail.split(separator: "\n").map { "  it wrote: \($0)" } }
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        switch subject {
        case .plugin: "cannot load plugin '\(fileName(of: path))'"
        case .folder: "cannot search plugin folder '\(path)'"
        }
    }
}

/// The last component of a path.
func fileName(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
}
