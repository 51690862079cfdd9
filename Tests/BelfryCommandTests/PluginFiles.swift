import Foundation
import Testing

/// Plugins as files: those that were built, and those that are compiled here.
enum PluginFiles {
    private static let tests = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let repository = tests.deletingLastPathComponent()
    private static let headers = repository.appending(path: "Sources/CBelfry/include")

    /// A bundled one: `Cooldown`, `Actions`, …
    static func bundled(_ names: String...) -> [URL] {
        names.map { Command.folder.appending(path: "libBelfry\($0).so") }
    }

    static var misbehaving: [URL] {
        get throws {
            try FileManager.default.contentsOfDirectory(
                at: tests.appending(path: "Misbehaving"), includingPropertiesForKeys: nil
            ).filter { $0.pathExtension == "c" }
        }
    }

    static func misbehaving(_ name: String) -> URL { tests.appending(path: "Misbehaving/\(name).c") }
    static func own(_ name: String) -> URL { tests.appending(path: "BelfryCommandTests/Plugins/\(name).c") }

    /// Compiles plugins in plain C into a folder, against today's headers or others, with what `-D` defines.
    static func compile(
        _ sources: [URL], into folder: URL, headers: URL = headers, defining definitions: String...
    ) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for source in sources {
            try compile(
                source, into: folder,
                ["cc", "-shared", "-fPIC", "-fvisibility=hidden", "-I", headers.path] + definitions.map { "-D\($0)" })
        }
    }

    /// Compiles a plugin in Swift, with the kit that was built with these tests.
    static func compileSwift(_ name: String, into folder: URL, _ flags: String...) throws {
        let objects = try ["BelfryModel", "BelfryPlugin"].flatMap { module in
            try FileManager.default.contentsOfDirectory(
                at: Command.folder.appending(path: "\(module).build"), includingPropertiesForKeys: nil
            ).filter { $0.pathExtension == "o" }.map(\.path)
        }
        let exports = repository.appending(path: "Plugins/exports.map").path
        try compile(
            tests.appending(path: "BelfryCommandTests/Plugins/\(name).swift"), into: folder,
            [
                "swiftc", "-swift-version", "6", "-parse-as-library", "-emit-library", "-module-name", name,
                "-I", Command.folder.appending(path: "Modules").path, "-I", headers.path, "-use-ld=lld",
                "-Xlinker", "--version-script=\(exports)",
            ] + flags + objects)
    }

    /// Compiles a plugin in Rust, without any crate.
    static func compileRust(_ name: String, into folder: URL) throws {
        try compile(
            tests.appending(path: "BelfryCommandTests/Plugins/\(name).rs"), into: folder,
            ["rustc", "--edition", "2021", "--crate-type", "cdylib"])
    }

    static let hasRust = (try? run(["rustc", "--version"], output: .nullDevice)) == 0

    private static func compile(_ source: URL, into folder: URL, _ compiler: [String]) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let object = folder.appending(path: source.deletingPathExtension().lastPathComponent + ".so")
        let status = try run(compiler + [source.path, "-o", object.path])
        try #require(status == 0, "\(source.lastPathComponent) does not compile")
    }

    private static func run(_ command: [String], output: FileHandle = .standardError) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = output
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
