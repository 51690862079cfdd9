import Foundation

@testable import BelfryConfiguration

/// A folder of configuration files, removed with the value.
final class Folder {
    private let root: String

    init(_ files: [String: String] = [:]) throws {
        root = NSTemporaryDirectory() + "belfry-\(UUID().uuidString)"
        for (name, text) in files { try write(text, to: name) }
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func path(_ name: String) -> String { "\(root)/\(name)" }

    func write(_ text: String, to name: String) throws {
        let parent = (path(name) as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
    }

    func text(of name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    /// The text without this folder's path.
    func strip(_ text: String) -> String { text.replacingOccurrences(of: root + "/", with: "") }

    /// Reads the `belfry.yaml` in it; errors name files without this folder's path.
    func read() throws(ConfigurationFailure) -> ConfigurationDocument {
        do {
            return try ConfigurationReader(zoneExists: { $0 != "Mars/Base" }).read(path: path("belfry.yaml"))
        } catch {
            throw ConfigurationFailure(
                reports: error.reports.map { report in
                    var report = report
                    (report.file, report.expected) = (strip(report.file), strip(report.expected))
                    report.fix = report.fix.map(strip)
                    return report
                })
        }
    }

    /// What is wrong with it, as text; empty when nothing is.
    func failure() -> String {
        do throws(ConfigurationFailure) {
            _ = try read()
            return ""
        } catch {
            return error.description
        }
    }
}
