import BelfryEngine
import BelfryPluginHost
import BelfryTesting
import CBelfry
import Foundation
import Testing

/// The bundled plugins as they are built, loaded once by the real loader.
enum BundledPlugins {
    /// Where the tests were built, and with them the plugins and `belfry`.
    static let folder: URL = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: tests).deletingLastPathComponent()
    }()

    static let names = [
        "ActionMenu", "Actions", "BackgroundDelay", "Cooldown", "Digest", "Holdout", "Inhibit", "MaxPerPeriod",
        "Occurrences", "Once", "Personalize", "RegionChange", "Schedule", "Segmentation",
    ]

    static func file(_ name: String) -> URL { folder.appending(path: "libBelfry\(name).so") }

    /// Several tests use them at once: tables are constant.
    private static let loaded = Result<[LoadedPlugin], any Error> {
        let scanner = PluginScanner(
            executable: folder.appending(path: "belfry").path, copies: try PrivateCopies(environment: [:]),
            hostVersion: belfryVersion, deadline: .seconds(30))
        let library = PluginLibrary(HostServices(version: belfryVersion, zones: .system()) { _ in })
        var roster = PluginRoster()
        return try PluginCatalog.scan(PluginSearch(folders: [folder.path]), with: scanner).plugins
            .map { try library.load($0, roster: &roster) }
    }

    /// - Throws: if one is refused.
    static func load() throws -> [LoadedPlugin] { try loaded.get() }

    static func plugin(_ id: String) throws -> LoadedPlugin {
        try #require(try load().first { $0.id == id }, "'\(id)' is not loaded")
    }

    static func strategy(_ name: String) throws -> UnsafePointer<belfry_strategy> {
        try #require(try plugin(name).strategies.first { $0.pointee.name.string == name })
    }

    static func filter(_ name: String) throws -> UnsafePointer<belfry_filter> {
        try #require(try plugin(name).filters.first { $0.pointee.name.string == name })
    }
}
