import BelfryModel
import Foundation

extension ConfigurationBundle {
    /// Reads a bundle, a folder or an archive, and compares every file with what the bundle says of it.
    ///
    /// - Throws: `BundleFailure` if a file is missing, is another one, or is not listed.
    package init(reading path: String) throws(BundleFailure) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw BundleFailure(bundle: path, why: "there is nothing", fix: "check the path")
        }
        var found = isFolder.boolValue ? try Self.folder(path) : try Self.archive(path)
        guard let bytes = found.removeValue(forKey: Self.manifestName) else {
            throw BundleFailure(bundle: path, why: "it has no \(Self.manifestName)", fix: Self.again)
        }
        guard let manifest = Value(json: bytes[...])?.map, manifest["bundle"] == 1, let listed = manifest["files"]?.map
        else {
            throw BundleFailure(bundle: path, why: "its \(Self.manifestName) makes no sense", fix: Self.again)
        }
        (self.manifest, files) = (manifest, found)
        try compare(with: listed, path)
        guard let configuration = manifest["configuration"]?.text, files[configuration] != nil else {
            throw BundleFailure(
                bundle: path, why: "the configuration that its \(Self.manifestName) names is not in it", fix: Self.again
            )
        }
    }

    private static let again = "make it again with 'belfry bundle', or copy it again"

    private func compare(with listed: Fields, _ path: String) throws(BundleFailure) {
        for entry in listed.entries {
            guard let contents = files[entry.key] else {
                throw BundleFailure(bundle: path, why: "'\(entry.key)' is missing", fix: Self.again)
            }
            let digest = "\(SHA256Digest(of: contents))"
            guard entry.value.text == digest else {
                throw BundleFailure(
                    bundle: path,
                    why: "'\(entry.key)' has digest \(digest); the bundle says \(entry.value.text ?? "nothing")",
                    fix: Self.again)
            }
        }
        if let stranger = files.keys.sorted().first(where: { listed[$0] == nil }) {
            throw BundleFailure(bundle: path, why: "'\(stranger)' does not belong to it", fix: Self.again)
        }
    }

    private static func folder(_ path: String) throws(BundleFailure) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in FileManager.default.enumerator(atPath: path)?.compactMap({ $0 as? String }) ?? [] {
            let file = path + "/" + name
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), isFolder.boolValue {
                // What is behind a link is not looked at, but would be read: it is a stranger.
                if (try? FileManager.default.destinationOfSymbolicLink(atPath: file)) != nil { files[name] = [] }
                continue
            }
            guard let data = FileManager.default.contents(atPath: file) else {
                throw BundleFailure(
                    bundle: path, why: "'\(name)' cannot be read", fix: "make it readable for this user")
            }
            files[name] = [UInt8](data)
        }
        return files
    }

    private static func archive(_ path: String) throws(BundleFailure) -> [String: [UInt8]] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BundleFailure(bundle: path, why: "it cannot be read", fix: "make it readable for this user")
        }
        guard let files = TarArchive.files(in: [UInt8](data)) else {
            throw BundleFailure(bundle: path, why: "it is no archive of files, or cut short", fix: again)
        }
        return files
    }

    // MARK: Writing

    /// The whole of it as an archive: the same bytes for the same files.
    package var archive: [UInt8] {
        get throws(BundleFailure) {
            var archive = TarArchive()
            archive.add(Self.manifestName, manifestBytes)
            for (name, contents) in files.sorted(by: { $0.key < $1.key }) {
                guard TarArchive.takes(name) else {
                    throw BundleFailure(
                        name,
                        why:
                            "its name is longer than 100 bytes, or its folder than 155, which no archive of this kind has",
                        fix: "shorten it, or write a folder: name an --output without .tar")
                }
                archive.add(name, contents)
            }
            return archive.bytes
        }
    }

    /// Writes the files into a folder that is not there yet: all of them, or none.
    package func write(toFolder path: String) throws {
        let folder = URL(fileURLWithPath: path)
        let unfinished = folder.deletingLastPathComponent().appending(
            component: ".\(folder.lastPathComponent).\(getpid())")
        // Of a process that was killed.
        try? FileManager.default.removeItem(at: unfinished)
        do {
            try write(into: unfinished)
            guard rename(unfinished.path, folder.path) == 0 else {
                throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
            }
        } catch {
            try? FileManager.default.removeItem(at: unfinished)
            throw error
        }
    }

    private func write(into folder: URL) throws {
        for (name, contents) in files.merging([Self.manifestName: manifestBytes], uniquingKeysWith: { $1 }) {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(contents).write(to: file, options: .withoutOverwriting)
        }
    }
}
