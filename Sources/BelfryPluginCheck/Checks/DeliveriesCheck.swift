import Foundation

extension PluginCheck {
    static let deliveries = PluginCheck(
        "deliveries", "A sink begins, answers a decision with a word that there is, and lets go.", kinds: [.sink],
        needs: ["identity", "tables", "description"]
    ) { subject in
        // Files that are relative end there.
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-deliveries-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = FileManager.default.changeCurrentDirectoryPath(folder.path)
        let plugin = try subject.load(isFrozen: false)
        if plugin.sinks.isEmpty { throw NotApplicable() }
        return try plugin.sinks.compactMap { try SinkTrial(sink: $0, subject: subject).finding() }
    }
}
