import BelfryModel
import Foundation

@testable import BelfryPluginHost

/// A folder for plugins and one for private copies; both go with the object.
final class PluginFolder {
    let root: URL
    let url: URL
    var path: String { url.path }

    /// With these plugins of `Tests/Misbehaving` in it.
    init(_ plugins: String...) throws {
        root = FileManager.default.temporaryDirectory.appending(path: "belfry-plugins-\(UUID().uuidString)")
        url = root.appending(path: "plugins")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for plugin in plugins { try add(plugin, as: plugin) }
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    func add(_ plugin: String, as name: String) throws {
        try FileManager.default.copyItem(at: Misbehaving.file(plugin), to: file(name))
    }

    func file(_ name: String) -> URL { url.appending(path: name + ".so") }

    func setMode(_ mode: Int, of url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    func copies() throws -> PrivateCopies { try PrivateCopies(folder: root.appending(path: "copies").path) }

    /// Takes notes of files that have just been written.
    func notingCopies() throws -> PrivateCopies {
        try PrivateCopies(folder: root.appending(path: "copies").path, settling: -3600)
    }

    var search: PluginSearch { PluginSearch(folders: [path]) }

    /// Loads what is in the folder into this process, as it was scanned.
    func load() throws -> (plugins: [LoadedPlugin], refusals: [PluginRefusal]) {
        let library = PluginLibrary(host: TestHost.pointer)
        var (roster, plugins, refusals): (PluginRoster, [LoadedPlugin], [PluginRefusal]) = (PluginRoster(), [], [])
        for plugin in try catalog().plugins {
            do throws(PluginRefusal) {
                plugins.append(try library.load(plugin, roster: &roster))
            } catch {
                refusals.append(error)
            }
        }
        return (plugins, refusals)
    }

    func scanner(executable: String = TestHost.executable, deadline: Duration = .seconds(30)) throws
        -> PluginScanner
    {
        PluginScanner(executable: executable, copies: try copies(), hostVersion: "1.0.0", deadline: deadline)
    }

    /// Scans what is in the folder in child processes.
    func catalog(deadline: Duration = .seconds(30)) throws -> PluginCatalog {
        PluginCatalog.scan(search, with: try scanner(deadline: deadline))
    }
}

extension PrivateCopies {
    func copyForTest(_ path: String) throws -> String {
        guard let file = try PluginFile(path: path, inside: nil) else { throw POSIXError(.ENOENT) }
        return try copy(of: file).path
    }
}
