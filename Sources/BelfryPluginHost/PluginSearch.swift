import CLinux
import Glibc

/// Where plugins are looked for, and which files there could be some.
public struct PluginSearch: Sendable {
    /// In order of preference.
    public let folders: [String]

    /// Searches these folders and no others. A folder named twice is searched once.
    public init(folders: [String]) {
        var seen: Set<String> = []
        self.folders = folders.filter { seen.insert(realPath($0) ?? $0).inserted }
    }

    /// The folder of the executable, then those of BELFRY_PLUGIN_PATH, which is colon separated.
    public init(executable: String, environment: [String: String]) {
        let listed = environment["BELFRY_PLUGIN_PATH", default: ""].split(separator: ":").map(String.init)
        self.init(folders: [PluginFile.folder(ofFile: executable)] + listed)
    }

    /// One `.so` file, or a folder or file that is refused before it is read.
    struct Candidate {
        let path: String
        /// The folder whose boundary it must respect.
        let folder: String
    }

    /// The `*.so` files of all folders, by folder and then by name, and the folders that cannot be searched.
    func candidates() -> (files: [Candidate], refused: [PluginRefusal]) {
        var files: [Candidate] = []
        var refused: [PluginRefusal] = []
        for folder in folders {
            do throws(PluginRefusal) {
                try PluginFile.checkFolder(folder)
                files += try Self.sharedObjects(in: folder).map {
                    Candidate(path: folder + "/" + $0, folder: folder)
                }
            } catch {
                refused.append(error)
            }
        }
        return (files, refused)
    }

    private static func sharedObjects(in folder: String) throws(PluginRefusal) -> [String] {
        guard let stream = opendir(folder) else {
            throw PluginRefusal(
                .folder, path: folder, .unreadable, why: "it cannot be listed: \(lastSystemError())",
                fix: "make it readable for this user")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let name = belfry_next_name(stream).map({ String(cString: $0) }) {
            if name.hasSuffix(".so"), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}

extension PluginSearch.Candidate {
    /// Runs `body` on the open file if it is a plugin; nil if it is something else, which is skipped without
    /// a word.
    func ifPlugin<Result>(_ body: (borrowing PluginFile) throws(PluginRefusal) -> Result)
        throws(PluginRefusal) -> Result?
    {
        guard let file = try PluginFile(path: path, inside: folder) else { return nil }
        try file.checkKind()
        return try body(file)
    }
}

extension PluginFile {
    /// Refuses a plugin that cannot work here.
    package borrowing func checkKind() throws(PluginRefusal) {
        switch kind {
        case .plugin, .notAPlugin: return
        case .otherABI(let majors):
            let spoken = majors.map { "\($0)" }.joined(separator: ", ")
            throw PluginRefusal(
                path: path, .otherABI, why: "it was built for ABI \(spoken); this host speaks ABI \(hostABI)",
                fix: rebuildFix)
        case .otherMachine:
            throw PluginRefusal(
                path: path, .damaged, why: "it was built for another processor than this one",
                fix: "rebuild it for this machine")
        case .damaged(let how):
            throw PluginRefusal(
                path: path, .damaged, why: "it is cut short: \(how)", fix: "copy or build it again")
        }
    }
}
