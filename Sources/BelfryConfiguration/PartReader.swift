import BelfryEngine
import BelfryModel
import Foundation

/// Reads the parts, knowing the names they may use. One extension per part.
struct PartReader {
    let names: DeclaredNames
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
