/// Reads a configuration: docs/configuration.md, key by key.
///
/// - `ConfigurationFiles` reads the YAML of the file and of those it includes, and joins their lists.
/// - `MapReader` and `Rule` are the vocabulary; a `PartReader+Part` reads one part of the file with them.
/// - `ConfigurationReports` collects what is wrong; all of it is thrown at once.
///
/// What only a plugin can know (its parameters) is checked later, by the engine; `ConfigurationDocument.locate` gives those
/// problems file and line.
public struct ConfigurationReader {
    private let zoneExists: (String) -> Bool
    private let zoneNames: () -> [String]

    /// - Parameters:
    ///   - zoneExists: whether there is a time zone of that IANA name; by default every name is taken.
    ///   - zoneNames: all of these names, for what is close to one that does not exist.
    public init(
        zoneExists: @escaping (String) -> Bool = { _ in true }, zoneNames: @escaping () -> [String] = { [] }
    ) {
        (self.zoneExists, self.zoneNames) = (zoneExists, zoneNames)
    }

    /// Reads with the defaults.
    public static func read(path: String) throws(ConfigurationFailure) -> ConfigurationDocument {
        try ConfigurationReader().read(path: path)
    }

    /// Reads the file at `path` and those it includes.
    ///
    /// - Throws: everything that is wrong, in file order. When a file cannot be read, names that may come from it are not
    ///   reported as unknown.
    public func read(path: String) throws(ConfigurationFailure) -> ConfigurationDocument {
        let (document, failure) = try attempt(ConfigurationFiles(path: path))
        if let failure { throw failure }
        return document
    }

    /// The same, but where the form is wrong, what could be read comes with the failure: more may be wrong with it.
    ///
    /// - Throws: when nothing could be read.
    package func attempt(
        _ files: ConfigurationFiles
    ) throws(ConfigurationFailure) -> (document: ConfigurationDocument, failure: ConfigurationFailure?) {
        guard let root = files.mergedRoot, root.members != nil else { throw files.reports.failure }
        let names = DeclaredNames(root: root, isComplete: files.isComplete)
        let parts = PartReader(
            names: names, isComplete: files.isComplete, zoneExists: zoneExists, zoneNames: zoneNames)
        guard let configuration = MapReader.read(root, files.reports, parts.configuration) else {
            throw files.reports.failure
        }
        let document = ConfigurationDocument(
            configuration: configuration, root: root, kept: root.without(files.reports.leftOut), path: files.path)
        return (document, files.reports.isEmpty ? nil : files.reports.failure)
    }
}
