import Foundation
import Testing

/// A folder of its own with the files of one test, in which `belfry` is run as a user would.
final class Workplace: Sendable {
    let url: URL

    /// With these files in it, by name.
    init(_ files: [String: String] = [:]) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "belfry-command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appending(path: name) }
    func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: file(name)) }
    func text(of name: String) throws -> String { try String(contentsOf: file(name), encoding: .utf8) }

    /// A folder for plugins, with these files in it.
    func makePlugins(_ plugins: [URL], in name: String = "plugins") throws {
        try FileManager.default.createDirectory(at: file(name), withIntermediateDirectories: true)
        for plugin in plugins {
            try FileManager.default.copyItem(at: plugin, to: file(name).appending(path: plugin.lastPathComponent))
        }
    }

    /// Puts a version of the plugin `gate` where the former one was, as a package manager does.
    func installGate(_ version: String, as name: String = "gate.so") throws {
        let (new, plugins) = (file("new-\(version)"), file("plugins"))
        try PluginFiles.compile([PluginFiles.own("gate")], into: new, defining: "GATE_VERSION=\"\(version)\"")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        try #require(rename(new.appending(path: "gate.so").path, plugins.appending(path: name).path) == 0)
    }

    /// Runs `belfry` in this folder, to its end.
    ///
    /// - Parameter output: where its standard output goes; a file that is read afterwards if nil.
    func belfry(
        _ arguments: String..., input: String = "", environment: [String: String] = [:], output: FileHandle? = nil
    ) throws -> Command.Result {
        try belfry(arguments, input: Data(input.utf8), environment: environment, output: output)
    }

    /// - Parameter started: called with the process as soon as it runs.
    func belfry(
        _ arguments: [String], input: Data, environment: [String: String] = [:], output: FileHandle? = nil,
        started: (Process) throws -> Void = { _ in }
    ) throws -> Command.Result {
        try Command.run(
            arguments, in: url, input: input, environment: environment, output: output, started: started)
    }
}

extension [String] {
    /// Lines as a file has them.
    var asFile: String { map { $0 + "\n" }.joined() }
}
