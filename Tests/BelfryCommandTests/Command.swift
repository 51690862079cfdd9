import Foundation

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
