import Foundation
import Testing

/// What the long runs work on: a file that the environment names, or a generated one.
struct Load {
    /// A file that is named in the environment.
    private static func file(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    /// Part of the path of every file that a victim writes.
    static let places = "/belfry-command-"

    func victim(_ way: Victim.Way) throws -> Victim {
        var victim = try named() ?? generated()
        victim.way = way
        return victim
    }

    /// Of the generated one nothing can be sent again: a third has no id, and what was rejected for its time may be right the next time.
    var ways: [Victim.Way] {
        Self.file("BELFRY_CRASH_SIGNALS") == nil ? [.fileToFile, .fileToReader] : Victim.Way.allCases
    }

    private func generated() throws -> Victim {
        var victim = try Victim(BusyDay.configuration(batch: 20), signals: BusyDay.signals(400, seed: 1))
        victim.arguments = ["--until", BusyDay.until]
        return victim
    }

    private func named() throws -> Victim? {
        guard let signals = Self.file("BELFRY_CRASH_SIGNALS"), let configuration = Self.file("BELFRY_CRASH_CONFIG")
        else { return nil }
        let text = try String(contentsOfFile: configuration, encoding: .utf8)
        // A sender that sends months again is known by ids that are older than the 30 days of the default.
        let settings = "batch: { signals: 200 }\njournal: { checkpoint: 100ms }\nduplicates: { remember: forever }\n"
        return try Victim(settings + text, signals: Self.bytes(of: signals))
    }

    /// The configuration and the signals that the environment names; nil: a generated load will do.
    static func source() throws -> (configuration: String, signals: String)? {
        guard let signals = file("BELFRY_CRASH_SIGNALS"), let configuration = file("BELFRY_CRASH_CONFIG") else {
            return nil
        }
        return (
            try String(contentsOfFile: configuration, encoding: .utf8),
            String(decoding: try bytes(of: signals), as: UTF8.self)
        )
    }

    private static func bytes(of path: String) throws -> Data {
        guard path.hasSuffix(".gz") else { return try Data(contentsOf: URL(filePath: path)) }
        let (unpacker, pipe) = (Process(), Pipe())
        unpacker.executableURL = URL(filePath: "/usr/bin/env")
        unpacker.arguments = ["gzip", "-dc", path]
        unpacker.standardOutput = pipe
        try unpacker.run()
        let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
        unpacker.waitUntilExit()
        try #require(unpacker.terminationStatus == 0, "\(path) cannot be unpacked")
        return bytes
    }

    /// How many calls of an undisturbed run change a file.
    func countCalls() throws -> Int {
        let victim = try victim(.fileToFile)
        let log = victim.place.file("calls")
        var environment = try Strike(call: 0, how: .before, file: Self.places).environment
        environment["STRIKE_LOG"] = log.path
        try victim.live(environment: environment)
        return try #require(Int(String(contentsOf: log, encoding: .utf8).dropLast()))
    }
}
