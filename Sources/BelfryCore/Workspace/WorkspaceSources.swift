import BelfryConfiguration
import BelfryModel
import BelfryPluginHost
import Foundation

/// What a workspace is made of, as it was read: the texts of its configuration, and the contents of the plugins beside it.
///
/// Two that are equal give the same workspace, whenever their files were written.
package struct WorkspaceSources: Equatable, Sendable {
    let texts: [ConfigurationText]
    /// The lock, and who may sign.
    private let trusted: [ConfigurationText]
    private let isTrustRead: Bool
    /// What the configuration includes: paths or patterns.
    private let included: [String]
    /// Where a service keeps those that are made while it runs.
    private let silences: String
    /// Where plugins were looked for.
    private let folders: [String]
    private let plugins: [Plugin]

    private struct Plugin: Equatable {
        let file: String
        /// The private copy, which is named by its contents.
        let contents: String?
        let refusal: String?
    }

    /// - Parameters:
    ///   - trusted: the lock, and who may sign; read here once more, only to be compared.
    ///   - isTrustRead: whether the lock and the signers could be read. If not, plugins are kept out for that reason, and not because they are
    ///     unlisted.
    ///   - plugins: nil where it is not known in which folders they are.
    package init(
        _ files: ConfigurationFiles, _ trusted: [String], isTrustRead: Bool = true, plugins: PluginCatalog?,
        host: PluginHost
    ) {
        texts = files.texts
        self.isTrustRead = isTrustRead
        self.trusted = trusted.map { path in
            ConfigurationText(
                path: path, text: FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
            )
        }
        included = files.included
        silences = ConfigurationFiles.silences(of: files.path)
        let others = host.defaultSearch.folders.filter { plugins?.folders.contains($0) != true }
        folders = (plugins?.folders ?? []) + others
        self.plugins = (plugins?.plugins ?? []).map { plugin in
            let refusal = plugin.refusal.flatMap { isTrustRead || !$0.isOfTrust ? $0.description : nil }
            return Plugin(file: plugin.path, contents: plugin.copy, refusal: refusal)
        }
    }

    /// Tells it from others, in every process: by the texts of the configuration and the contents of the plugins.
    var fingerprint: String {
        let contents = plugins.compactMap { $0.contents?.split(separator: "/").last.map(String.init) }
        let parts = texts.map { $0.text ?? "" } + contents.sorted()
        return String(parts.reduce(stableHash("")) { stableHash("\u{0}" + $1, seed: $0) }, radix: 16)
    }

    /// The files of the configuration, the lock, and those who may sign.
    package var files: [String] { texts.map(\.path) + trusted.map(\.path) }

    /// Why plugins are refused.
    package var refusals: [String] { plugins.compactMap(\.refusal) }

    /// What is watched, for people.
    package var places: String {
        let files = (texts.prefix(1).map(\.path) + included).joined(separator: ", ")
        return "\(files) and the plugins in \(folders.map { "'\($0)'" }.joined(separator: ", "))"
    }

    /// Where any of it could be changed, or something added to it.
    package var trail: FileTrail {
        var trail = FileTrail()
        for path in texts.map(\.path) + [silences] { trail.add(path) }
        for pattern in included { trail.add(pattern: pattern) }
        for file in trusted { trail.add(file.path) }
        for folder in folders {
            trail.add(folder, matching: "*.so")
            trail.add(folder, matching: "*.so.sig")
        }
        return trail
    }
}
