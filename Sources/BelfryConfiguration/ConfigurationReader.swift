import BelfryEngine
import BelfryModel
import Foundation

/// Reads a configuration: docs/configuration.md, key by key.
///
/// - `ConfigurationFiles` reads the YAML of the file and of those it includes, and joins their lists.
/// - `MapReader` and `Rule` are the vocabulary; a `ConfigurationReader+Part` reads one part of the file with it.
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
        let names = Names(root: root, isComplete: files.isComplete)
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

/// Reads the parts, knowing the names they may use. One extension per part.
struct PartReader {
    let names: Names
    let isComplete: Bool
    let zoneExists: (String) -> Bool
    let zoneNames: () -> [String]

    func configuration(_ map: MapReader) -> Configuration? {
        var configuration = Configuration(app: "")
        configuration.app = map.required("app", .name) ?? ""
        settings(map, &configuration)
        map.set(&configuration.fields, "fields", fields)
        map.set(&configuration.beacons, "beacons", beacons)
        map.set(&configuration.chain, "chain", .list(of: entry))
        map.set(&configuration.groups, "groups", .list(of: group))
        map.set(&configuration.regions, "regions", .list(of: region(configuration.beacons)))
        map.set(&configuration.categories, "categories", .list(of: category))
        map.set(&configuration.campaigns, "campaigns", .list(of: campaign(configuration.beacons)))
        map.set(&configuration.experiments, "experiments", .list(of: experiment))
        map.set(&configuration.silences, "silences", .list(of: silence))
        map.set(&configuration.sinks, "sinks", .list(of: sink))
        // Read before all the rest, by `ConfigurationFiles`.
        _ = map.optional("include", .any)
        checkUnique(map)
        return configuration
    }

    private func checkUnique(_ map: MapReader) {
        for (list, what) in [
            ("groups", "group"), ("regions", "region"), ("categories", "category"), ("campaigns", "campaign"),
            ("silences", "silence"), ("sinks", "sink"), ("experiments", "experiment"),
        ] {
            unique(map.node[list]?.items ?? [], what, map.reports) { $0["id"] }
        }
        unique(map.node["chain"]?.items ?? [], "chain entry", map.reports) { $0["id"] ?? $0["strategy"] }
        // Each would write every decision, and neither could go on behind what it wrote last.
        unique(
            map.node["sinks"]?.items ?? [], "sink with the file", map.reports, expected: "a file of its own",
            fix: "name another file", name: { URL(fileURLWithPath: $0).standardizedFileURL.path }
        ) { $0["type"]?.value == "file" ? $0["path"] : nil }
    }

    /// Reports each name that is mentioned again.
    func uniqueMentions(_ items: [ConfigurationNode], of what: String, _ reports: ConfigurationReports) {
        unique(
            items, "mention of the \(what)", reports, expected: "each \(what) once", fix: "remove one of them"
        ) { $0 }
    }

    /// Reports each item whose id an earlier one has.
    ///
    /// - Parameter name: what is the same for the same id, however that is written.
    func unique(
        _ items: [ConfigurationNode], _ what: String, _ reports: ConfigurationReports,
        expected: String = "an id of its own", fix: String = "give one of them another id",
        name: (String) -> String = { $0 }, id: (ConfigurationNode) -> ConfigurationNode?
    ) {
        var first: [String: Place] = [:]
        for item in items {
            guard let node = id(item), let text = node.value.text else { continue }
            let name = name(text)
            if let earlier = first[name] {
                reports.add(
                    at: node.place, found: "a second \(what) '\(text)'",
                    expected: "\(expected); the first is in \(earlier.file.path):\(earlier.line)", fix: fix)
            } else {
                first[name] = node.place
            }
        }
    }
}
