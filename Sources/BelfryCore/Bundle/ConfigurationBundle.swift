import BelfryModel
import BelfryPluginHost
import Foundation

/// A configuration and the plugins that come with it, as one folder or one archive, which is the same on every machine.
///
///     bundle.json     {"bundle":1,"app":"shop","configuration":"belfry.yaml","generation":"…","platform":"linux-x86_64",
///                      "files":{"belfry.lock":"sha256:…","belfry.yaml":"sha256:…","plugins/libPatience.so":"sha256:…"}}
///     belfry.yaml     and whatever it includes, the lock, those who may sign, and the plugins of its folders: where they were
///
/// The plugins beside the command are not in it: they come with belfry. The generation tells whether those of another machine are the same.
package struct ConfigurationBundle {
    package static let manifestName = "bundle.json"

    /// What `bundle.json` says.
    package var manifest: Fields
    /// The contents of each file, by its path in the bundle; `bundle.json` is not among them.
    package var files: [String: [UInt8]]

    package var generation: String { manifest["generation"]?.text ?? "" }

    /// Bundles what a workspace was made of.
    ///
    /// - Throws: `BundleFailure` if some of it lies elsewhere, or cannot be read any more.
    package init(of workspace: Workspace) throws(BundleFailure) {
        let folder = workspace.document.folder
        files = [:]
        for path in workspace.sources.files + workspace.foreignPlugins
        where FileManager.default.fileExists(atPath: path) {
            files[try Self.place(of: path, in: folder)] = try Self.contents(of: path)
        }
        let digests = files.sorted { $0.key < $1.key }.map { ($0.key, Value.text("\(SHA256Digest(of: $0.value))")) }
        manifest = [
            "bundle": 1, "app": .text(workspace.configuration.app),
            "configuration": .text((workspace.document.path as NSString).lastPathComponent),
            "generation": .text(workspace.fingerprint), "platform": .text(PluginStatement.platform),
            "files": .map(Fields(digests)),
        ]
    }

    /// The path in the bundle of a file.
    private static func place(of path: String, in folder: String) throws(BundleFailure) -> String {
        // By its own name, as others refer to it: what is a link here is a file there.
        for absolute in [ConfigurationPath.named, ConfigurationPath.absolute] {
            let (path, folder) = (absolute(path), absolute(folder))
            if path.hasPrefix(folder + "/") { return String(path.dropFirst(folder.count + 1)) }
        }
        throw BundleFailure(
            ConfigurationPath.absolute(path),
            why:
                "it lies outside of '\(ConfigurationPath.absolute(folder))', the folder of the configuration; elsewhere it would not be found",
            fix: "move it into that folder, and name it relative to the configuration")
    }

    private static func contents(of path: String) throws(BundleFailure) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BundleFailure(path, why: "it cannot be read", fix: "make it readable for this user")
        }
        return [UInt8](data)
    }

    /// `bundle.json` as it is written.
    package var manifestBytes: [UInt8] { Array((Value.map(manifest).json + "\n").utf8) }

    /// Tells the bundle from all others: the digest of `bundle.json`, which has the digests of all files.
    package var digest: SHA256Digest { SHA256Digest(of: manifestBytes) }
}

extension Workspace {
    /// The plugins that do not come with belfry, and their signatures.
    fileprivate var foreignPlugins: [String] {
        let bundled = host.bundledFolder
        return plugins.plugins.map(\.path).filter { ($0 as NSString).deletingLastPathComponent != bundled }
            .flatMap { [$0, $0 + ".sig"] }
    }
}

/// Paths to compare.
enum ConfigurationPath {
    /// Without dots.
    static func named(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

    /// Without links and dots.
    static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
    }
}

/// Why something cannot be bundled, or is no bundle.
package struct BundleFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ path: String, why: String, fix: String) {
        description = "cannot bundle '\(path)'\n  why: \(why)\n  fix: \(fix)"
    }

    package init(bundle path: String, why: String, fix: String) {
        description = "'\(path)' is no whole bundle\n  why: \(why)\n  fix: \(fix)"
    }
}
