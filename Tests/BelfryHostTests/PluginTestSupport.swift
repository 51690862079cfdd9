import BelfryModel
import CBelfry
import Foundation

@testable import BelfryPluginHost

/// The plugins of `Tests/Misbehaving`, compiled when first needed.
enum Misbehaving {
    private static let tests = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let sources = tests.appending(path: "Misbehaving")
    private static let headers = tests.deletingLastPathComponent().appending(path: "Sources/CBelfry/include")

    private static let folder = FileManager.default.temporaryDirectory.appending(
        path: "belfry-misbehaving-\(getpid())")

    /// The folder of all of them, or why they could not be compiled. It goes when the tests end.
    private static let compiled = Result<URL, any Error> {
        atexit { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for source in try FileManager.default.contentsOfDirectory(
            at: sources, includingPropertiesForKeys: nil)
        where source.pathExtension == "c" {
            try compile(
                source, to: folder.appending(path: source.deletingPathExtension().lastPathComponent + ".so"))
        }
        return folder
    }

    private static func compile(_ source: URL, to object: URL) throws {
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "cc", "-shared", "-fPIC", "-fvisibility=hidden", "-I", headers.path, source.path, "-o",
            object.path,
        ]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else { throw CompilerFailure(source: source.lastPathComponent) }
    }

    struct CompilerFailure: Error { let source: String }

    static func file(_ name: String) throws -> URL { try compiled.get().appending(path: name + ".so") }
}

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

    /// Loads what is in the folder into this process.
    func load() throws -> (plugins: [LoadedPlugin], refusals: [PluginRefusal]) {
        PluginLibrary(host: TestHost.pointer).loadAll(search, copies: try copies())
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

/// The least that a plugin may be given: a host without extensions.
enum TestHost {
    // Constant after this, and never freed, as the contract asks.
    nonisolated(unsafe) static let pointer: UnsafePointer<belfry_host> = {
        let host = UnsafeMutablePointer<belfry_host>.allocate(capacity: 1)
        host.initialize(to: belfry_host())
        host.pointee.abi_major = BELFRY_ABI_MAJOR
        host.pointee.get_extension = { _, _ in nil }
        return UnsafePointer(host)
    }()

    /// The `belfry` that was built with these tests and lies beside them.
    static let executable: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "belfry").path
    }()
}
