import BelfryEngine
import BelfryModel
import Foundation

/// Reads `belfry.lock`. Strictly, because it says which plugins may be loaded. All that is wrong is thrown at once.
public struct PluginLockReader {
    public static let name = "belfry.lock"
    public static let version: Int64 = 1
    /// More is no lock.
    static let mostBytes = 1 << 20

    private let platform: String?
    private let isTrusted: (String) -> Bool

    /// - Parameters:
    ///   - platform: each entry has to have a digest for it; nil where a lock is mended, not obeyed.
    ///   - isTrusted: whether a file of that name is trusted without an entry, so that its entry may lack the platform.
    public init(platform: String?, isTrusted: @escaping (String) -> Bool = { _ in false }) {
        self.platform = platform
        self.isTrusted = isTrusted
    }

    /// The path of the lock beside a configuration.
    public static func path(beside configuration: String) -> String {
        let folder = (configuration as NSString).deletingLastPathComponent
        return folder.isEmpty ? name : (folder as NSString).appendingPathComponent(name)
    }

    /// Nil if there is no such file.
    public func read(path: String) throws(ConfigurationFailure) -> PluginLock? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        let file = ConfigurationFile(path: path, order: 0)
        let reports = ConfigurationReports()
        let top = Place(file: file, line: 1, column: 1)
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.mostBytes,
            let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self)
        else {
            reports.add(
                at: top, found: "a file that cannot be read", expected: "a lock: a text file in UTF-8 of at most 1 MiB",
                fix: "take it from version control, or write it anew with 'belfry plugins lock'")
            throw reports.failure
        }
        return try read(text, file, reports, top)
    }

    /// The same from a text; `path` is what errors call it.
    package func read(text: String, path: String) throws(ConfigurationFailure) -> PluginLock {
        let file = ConfigurationFile(path: path, order: 0)
        return try read(text, file, ConfigurationReports(), Place(file: file, line: 1, column: 1))
    }

    private func read(
        _ text: String, _ file: ConfigurationFile, _ reports: ConfigurationReports, _ top: Place
    ) throws(ConfigurationFailure) -> PluginLock {
        guard text.hasContent else {
            reports.add(
                at: top, found: "an empty file", expected: "a lock: 'version' and 'plugins'",
                fix: "take it from version control, or write it anew with 'belfry plugins lock'")
            throw reports.failure
        }
        let root = ConfigurationNode.compose(text, file: file, reports: reports)
        let read: PluginLock? = root.flatMap { MapReader.read($0, reports, whole) }
        guard reports.isEmpty, let read else { throw reports.failure.onLines }
        return read
    }

    private func whole(_ map: MapReader) -> PluginLock? {
        _ = map.required("version", version)
        return map.required("plugins", plugins).map { PluginLock(entries: $0) }
    }

    private var version: Rule<Int64> {
        Rule("the version \(Self.version)", fix: { _ in "run the belfry that wrote it, or write it anew" }) {
            $0.integer == Self.version ? Self.version : nil
        }
    }

    private var plugins: Rule<[PluginLock.Entry]> {
        Rule.members(
            "a mapping of plugin ids to what is known of them", fix: "write 'plugins: {}' if there are none"
        ).then { members, _, reports in
            for member in members where !member.key.isPrintableName {
                reports.add(
                    at: member.node.place, found: "an id with characters that cannot be seen, or none",
                    expected: "the id of a plugin")
            }
            return members.compactMap { member in
                MapReader.read(member.node, reports) { entry(member.key, $0) }
            }
        }
    }

    private func entry(_ id: String, _ map: MapReader) -> PluginLock.Entry? {
        let file = map.required("file", fileName)
        let version = map.required("version", .printableName)
        let abi = map.required("abi", .printableName)
        let signer = map.optional("signer", .printableName)
        let digests = map.required("digests", digests(of: file))
        guard let file, let version, let abi, let digests else { return nil }
        return PluginLock.Entry(id: id, file: file, version: version, abi: abi, signer: signer, digests: digests)
    }

    private var fileName: Rule<String> {
        Rule<String>.printableName.then { name, node, reports in
            guard name.contains("/") else { return name }
            return reports.refuse(node, found: "the path '\(name)'", expected: "the name of a file, without a folder")
        }
    }

    private func digests(of file: String?) -> Rule<[String: String]> {
        Rule.members("a mapping of platforms to digests").then { members, node, reports in
            var digests: [String: String] = [:]
            for member in members {
                if !member.key.isPlatform {
                    reports.add(
                        at: member.node.place, found: "the platform '\(member.key)'",
                        expected: "one such as linux-x86_64 or linux-aarch64")
                }
                digests[member.key] = digest.read(member.node, reports)
            }
            if let platform, !members.contains(where: { $0.key == platform }), file.map(isTrusted) != true {
                reports.add(
                    at: node.place, found: "no digest for \(platform)",
                    expected: "one for the platform of this machine",
                    fix: "belfry plugins lock")
            }
            return digests
        }
    }

    private var digest: Rule<String> {
        Rule("'sha256:' and 64 lower-case hexadecimal digits") { value in
            value.text.flatMap { SHA256Digest(text: $0)?.description }
        }
    }
}

extension ConfigurationFailure {
    /// The same with a line for everything: what is wrong with the file as a whole is told of its first one.
    fileprivate var onLines: ConfigurationFailure {
        var failure = self
        for index in failure.reports.indices where failure.reports[index].line == nil {
            failure.reports[index].line = 1
        }
        return failure
    }
}

extension Rule where Result == String {
    /// Text of one line that can be read by people, and that no other text can be made of.
    fileprivate static var printableName: Rule {
        Rule("text of one line, without characters that cannot be seen") { value in
            value.text.flatMap { $0.isPrintableName ? $0 : nil }
        }
    }
}

extension String {
    /// Something besides blanks and comments.
    fileprivate var hasContent: Bool {
        split(whereSeparator: \.isNewline).contains { line in
            line.first { !$0.isWhitespace }.map { $0 != "#" } ?? false
        }
    }

    package var isPlatform: Bool {
        let parts = split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy {
                        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
                    }
            }
    }

    /// No control character, no line end, nothing that only steers how text is shown; and not empty.
    package var isPrintableName: Bool {
        !isEmpty
            && unicodeScalars.allSatisfy {
                switch $0.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
                default: true
                }
            }
    }
}
