import Foundation

/// A folder of its own for the samples of one page, with the `belfry` that was built with these tests.
final class Workplace {
    let url = FileManager.default.temporaryDirectory.appending(path: "belfry-docs-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    /// Runs a script to its end.
    ///
    /// - Returns: its status, and what it printed on standard output and standard error.
    func run(_ script: String) throws -> (status: Int32, output: String) {
        let output = url.appending(path: ".output")
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", script]
        shell.currentDirectoryURL = url
        shell.environment = ProcessInfo.processInfo.environment.merging(
            [
                "PATH": "\(Self.products.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
                "BELFRY": Page.repository.path, "XDG_CACHE_HOME": Self.cache.path, "BELFRY_PLUGIN_PATH": "",
            ]) { $1 }
        shell.standardInput = FileHandle.nullDevice
        shell.standardOutput = handle
        shell.standardError = handle
        try shell.run()
        shell.waitUntilExit()
        return (shell.terminationStatus, String(decoding: try Data(contentsOf: output), as: UTF8.self))
    }

    /// The folder of `belfry` and its plugins: that of the tests, or of the helper that loads them.
    static let products: URL = {
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let folders = [executable, CommandLine.arguments[0]].map { URL(filePath: $0).deletingLastPathComponent() }
        return folders.first { FileManager.default.fileExists(atPath: $0.appending(path: "belfry").path) } ?? folders[0]
    }()

    /// Shared, so that each plugin is scanned once.
    private static let cache: URL = {
        let url = FileManager.default.temporaryDirectory.appending(path: "belfry-docs-cache-\(getpid())")
        atexit { try? FileManager.default.removeItem(at: Workplace.cacheToRemove) }
        return url
    }()

    private static var cacheToRemove: URL { cache }
}
