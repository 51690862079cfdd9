import Foundation

extension Workplace {
    /// Runs a script in this folder to its end, with the `belfry` that was built first in the path.
    ///
    /// - Returns: its status, and what it printed.
    func shell(_ script: String) throws -> (status: Int32, output: String) {
        let (environment, output) = (ProcessInfo.processInfo.environment, url.appending(path: ".output"))
        try Data().write(to: output)
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", script]
        shell.currentDirectoryURL = url
        shell.environment = environment.merging(
            [
                "PATH": "\(Command.folder.path):\(environment["PATH"] ?? "/usr/bin:/bin")",
                "XDG_CACHE_HOME": Command.cache.path, "BELFRY_PLUGIN_PATH": "",
            ]) { $1 }
        shell.standardInput = FileHandle.nullDevice
        shell.standardOutput = try FileHandle(forWritingTo: output)
        shell.standardError = shell.standardOutput
        try shell.run()
        shell.waitUntilExit()
        return (shell.terminationStatus, String(decoding: try Data(contentsOf: output), as: UTF8.self))
    }

    /// Does the same for a script that uses `libbelfry`, as it was built: `$bin/libbelfry.so`, with its headers in `$include`.
    ///
    /// The first command that fails ends it.
    func embed(_ script: String) throws -> (status: Int32, output: String) {
        try shell(
            """
            set -e
            bin="$(dirname "$(readlink -f "$(command -v belfry)")")"
            include="\(PluginFiles.repository.path)/Sources/CBelfryCore/include"
            ln -sf libBelfryLibrary.so "$bin/libbelfry.so"
            \(script)
            """)
    }
}
