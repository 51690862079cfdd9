import BelfryModel
import BelfryPluginHost
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

    /// Runs `belfry` in this folder, to its end.
    ///
    /// - Parameter output: where its standard output goes; a file that is read afterwards if nil.
    func belfry(
        _ arguments: String..., input: String = "", environment: [String: String] = [:], output: FileHandle? = nil
    ) throws -> Command.Result {
        try belfry(arguments, input: Data(input.utf8), environment: environment, output: output)
    }

    /// - Parameter started: is told of the process as soon as it runs.
    func belfry(
        _ arguments: [String], input: Data, environment: [String: String] = [:], output: FileHandle? = nil,
        started: (Process) throws -> Void = { _ in }
    ) throws -> Command.Result {
        try Command.run(
            arguments, in: url, input: input, environment: environment, output: output, started: started)
    }
}

/// The `belfry` that was built with these tests.
enum Command {
    struct Result {
        let status: Int32
        let output: String
        let errors: String

        /// The lines of the output.
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    static let folder: URL = {
        // Another build than that of the tests, such as the one for use.
        if let other = ProcessInfo.processInfo.environment["BELFRY_BUILD"] { return URL(filePath: other) }
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = URL(filePath: tests).deletingLastPathComponent()
        // `swift test` runs the bundle itself or a helper of the toolchain that loads it.
        let isHere = FileManager.default.fileExists(atPath: beside.appending(path: "belfry").path)
        return isHere ? beside : URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    }()

    /// Shared, so that each plugin is scanned once.
    static let cache: URL = {
        let url = FileManager.default.temporaryDirectory.appending(path: "belfry-command-cache-\(getpid())")
        atexit { try? FileManager.default.removeItem(at: Command.cacheToRemove) }
        return url
    }()

    private static var cacheToRemove: URL { cache }

    /// Input and output are files, so that neither side waits for the other.
    static func run(
        _ arguments: [String], in folder: URL, input: Data, environment: [String: String], output: FileHandle?,
        started: (Process) throws -> Void = { _ in }
    ) throws -> Result {
        let files = FileManager.default.temporaryDirectory.appending(path: "belfry-streams-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: files) }
        let (inputFile, outputFile, errorFile) = (
            files.appending(path: "in"), files.appending(path: "out"), files.appending(path: "err")
        )
        for (file, data) in [(inputFile, input), (outputFile, Data()), (errorFile, Data())] { try data.write(to: file) }
        let process = Process()
        process.executableURL = Self.folder.appending(path: "belfry")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ["XDG_CACHE_HOME": cache.path, "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = try output ?? FileHandle(forWritingTo: outputFile)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        try process.run()
        try started(process)
        process.end()
        // A death by signal is no exit status.
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return Result(
            status: status, output: String(decoding: try Data(contentsOf: outputFile), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self))
    }
}

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

extension [String] {
    /// Lines as a file has them.
    var asFile: String { map { $0 + "\n" }.joined() }
}

/// Any JSON, for looking into.
struct JSON: Equatable, Sendable {
    let value: Value

    init(_ text: String) throws { value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)).value }

    subscript(key: String) -> Value? { value.map?[key] }
}
