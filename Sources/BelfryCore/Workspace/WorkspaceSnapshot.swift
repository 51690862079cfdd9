import BelfryConfiguration
import BelfryEngine
import BelfryPluginHost

/// A workspace as it was read: what it takes to have the same again, in any process, whatever has become of its files since.
package struct WorkspaceSnapshot: Codable, Sendable {
    /// Of the configuration; the named one first.
    fileprivate var texts: [ConfigurationText]
    /// Where the private copies of plugins are.
    fileprivate let copies: String
    /// Where plugins were looked for.
    fileprivate let folders: [String]
    fileprivate let plugins: [ScannedPlugin]
    fileprivate let passedOver: [PassedOverFile]
}

extension Workspace {
    package var snapshot: WorkspaceSnapshot {
        WorkspaceSnapshot(
            texts: sources.texts, copies: host.copies.folder, folders: plugins.folders, plugins: plugins.plugins,
            passedOver: plugins.passedOver)
    }

    /// The workspace of a snapshot.
    ///
    /// - Parameters:
    ///   - executable: this belfry.
    ///   - log: what plugins have to say.
    package init(
        _ snapshot: WorkspaceSnapshot, executable: String, environment: [String: String],
        log: @escaping HostServices.Log
    ) throws {
        try self.init(
            snapshot,
            host: PluginHost(executable: executable, environment: environment, copies: snapshot.copies, log: log))
    }

    /// The same with the silences that are kept beside it now; what else has become of its files is not looked at.
    package func silenced(by text: String?) throws(ConfigurationFailure) -> Workspace {
        var snapshot = snapshot
        snapshot.texts = ConfigurationFiles.texts(snapshot.texts, silencedBy: text)
        return try Workspace(snapshot, host: host)
    }

    private init(_ snapshot: WorkspaceSnapshot, host: PluginHost) throws(ConfigurationFailure) {
        try self.init(
            ConfigurationFiles(snapshot.texts), host: host,
            PluginCatalog(folders: snapshot.folders, plugins: snapshot.plugins, passedOver: snapshot.passedOver))
    }
}
