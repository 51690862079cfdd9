import Foundation
import Testing

@testable import BelfryPluginCheck
@testable import BelfryPluginHost

/// The plugins of `Tests/Misbehaving`, each tried with every check.
enum Misbehaving {
    /// Those that sin when they are loaded, and those of `Hooks`, which sin when they are called.
    static func check(_ name: String, options: CheckOptions = options) throws -> CheckReport {
        let file = try compiled.get().appending(path: "\(name).so")
        return try checker.get().check(file.path, options)
    }

    static var options: CheckOptions {
        var options = CheckOptions(seed: 1)
        options.fuzz = 150
        return options
    }

    static let checker = Result {
        PluginChecker(
            executable: Command.folder.appending(path: "belfry").path,
            copies: try PrivateCopies(folder: folder.appending(path: "copies").path))
    }

    private static let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-sins-\(getpid())")

    /// All are compiled by one script, on every core.
    private static let compiled = Result<URL, any Error> {
        atexit { try? FileManager.default.removeItem(at: Misbehaving.folder) }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "copies"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let script = """
            cd "$1/Tests/Misbehaving" && ls *.c Hooks/*.c | xargs -P "$(nproc)" -I {} sh -c \
            'cc -shared -fPIC -fvisibility=hidden -I "$1/Sources/CBelfry/include" "$3" -o "$2/$(basename "$3" .c).so"' - "$1" "$2" {}
            """
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", script, "-", PluginFiles.repository.path, folder.path]
        try shell.run()
        shell.waitUntilExit()
        try #require(shell.terminationStatus == 0, "a misbehaving plugin does not compile")
        return folder
    }
}
