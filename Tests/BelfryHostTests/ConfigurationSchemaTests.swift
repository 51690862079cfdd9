import BelfryModel
import Testing

@testable import BelfryConfiguration

@Suite struct ConfigurationSchemaTests {
    /// Where the reader lists the keys it knows, and where the schema does.
    @Test(arguments: [
        ("x: 1", ["properties"]),
        ("actions: {x: 1}", ["properties", "actions", "properties"]),
        ("beacons: {x: 1}", ["$defs", "beacons", "properties"]),
        ("forward: {url: 'http://a.example', x: 1}", ["$defs", "forward", "properties"]),
        ("chain: [{strategy: s, x: 1}]", ["$defs", "entry", "properties"]),
        ("groups: [{id: g, x: 1}]", ["$defs", "group", "properties"]),
        ("campaigns: [{id: c, x: 1}]", ["$defs", "campaign", "properties"]),
        ("experiments: [{id: e, seed: s, variants: [{name: a}], x: 1}]", ["$defs", "experiment", "properties"]),
        (
            "experiments: [{id: e, seed: s, variants: [{name: a, x: 1}]}]", ["$defs", "variant", "properties"]
        ),
        ("silences: [{id: s, matchers: {tag: t}, x: 1}]", ["$defs", "silence", "properties"]),
        ("categories: [{id: c, buttons: [], x: 1}]", ["$defs", "category", "properties"]),
        ("categories: [{id: c, buttons: [{id: b, title: B, x: 1}]}]", ["$defs", "button", "properties"]),
        (
            "regions: [{id: r, kind: geofence, latitude: 1, longitude: 1, x: 1}]",
            ["$defs", "region", "oneOf", "0", "properties"]
        ),
        ("regions: [{id: r, kind: beacon, uuid: u, major: 1, x: 1}]", ["$defs", "region", "oneOf", "1", "properties"]),
        (
            "sinks: [{id: s, type: webhook, url: 'https://a.example', x: 1}]",
            ["$defs", "sink", "oneOf", "0", "properties"]
        ),
        ("sinks: [{id: s, type: desktop, x: 1}]", ["$defs", "sink", "oneOf", "4", "properties"]),
        (
            "sinks: [{id: s, type: web-push, subscription: '{data}', vapid: {subject: 'https://a.example', key: '${K}'}, x: 1}]",
            ["$defs", "sink", "oneOf", "5", "properties"]
        ),
        (
            "sinks: [{id: s, type: web-push, subscription: '{data}', vapid: {subject: 'https://a.example', key: '${K}', x: 1}}]",
            ["$defs", "sink", "oneOf", "5", "properties", "vapid", "properties"]
        ),
    ])
    func `the schema has the keys the reader knows`(_ yaml: String, _ path: [String]) throws {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try Folder(["belfry.yaml": "app: a\n" + yaml]).read()
        }
        let expected = try #require(failure?.reports.first?.expected)
        let keys = try #require(ConfigurationSchema().value.descend(path)?.map).keys
        #expect(Set(expected.dropFirst("one of ".count).split(separator: ", ").map(String.init)) == Set(keys))
    }

    /// To write a default into a configuration changes nothing.
    @Test(arguments: [
        ("x: 1", ["properties"]),
        ("actions: {x: 1}", ["properties", "actions", "properties"]),
        ("batch: {x: 1}", ["properties", "batch", "properties"]),
        ("journal: {x: 1}", ["properties", "journal", "properties"]),
        ("limits: {x: 1}", ["properties", "limits", "properties"]),
        ("duplicates: {x: 1}", ["properties", "duplicates", "properties"]),
        ("clock: {x: 1}", ["properties", "clock", "properties"]),
        ("history: {x: 1}", ["properties", "history", "properties"]),
        ("beacons: {x: 1}", ["$defs", "beacons", "properties"]),
        ("forward: {url: 'http://a.example', x: 1}", ["$defs", "forward", "properties"]),
        ("serve: {x: 1}", ["$defs", "service", "properties"]),
        ("chain: [{strategy: s, x: 1}]", ["$defs", "entry", "properties"]),
    ])
    func `the schema's defaults are those of the reader`(_ yaml: String, _ path: [String]) throws {
        func configuration(_ key: String) throws -> String {
            let line = yaml.replacing("x: 1", with: key)
            return "\(try Folder(["belfry.yaml": "app: a\n" + line]).read().configuration)"
        }
        let without = try (try? configuration("")) ?? "\(Folder(["belfry.yaml": "app: a"]).read().configuration)"
        var count = 0
        for entry in try #require(ConfigurationSchema().value.descend(path)?.map).entries {
            guard let value = entry.value.map?["default"] else { continue }
            #expect(try configuration("\(entry.key): \(value.json)") == without, "\(entry.key): \(value.json)")
            count += 1
        }
        #expect(count > 0)
    }

    @Test func `a strategy's parameters narrow those of its entries`() {
        let schema = ConfigurationSchema(parameters: ["cooldown": ["type": "object", "required": ["period"]]]).value
        #expect(
            schema.descend(["$defs", "entry", "allOf", "0"]) == [
                "if": ["properties": ["strategy": ["const": "cooldown"]], "required": ["strategy"]],
                "then": ["properties": ["parameters": ["type": "object", "required": ["period"]]]],
            ])
    }

    @Test func `with knows the parameters of entries that are called as their strategy`() {
        let cooldown: Value = ["type": "object", "required": ["period"]]
        let schema = ConfigurationSchema(parameters: ["cooldown": cooldown]).value
        #expect(
            schema.descend(["$defs", "with", "properties", "cooldown"])
                == ["anyOf": [cooldown, ["enum": ["off", false, "on", true]]]])
    }

    @Test func `every reference leads to a definition`() throws {
        let schema = ConfigurationSchema().value
        let definitions = try #require(schema.descend(["$defs"])?.map)
        for reference in schema.references {
            #expect(definitions[String(reference.dropFirst("#/$defs/".count))] != nil)
        }
    }
}

extension Value {
    fileprivate func descend(_ path: [String]) -> Value? {
        path.reduce(Optional(self)) { value, step in
            value?.map?[step] ?? value?.list.flatMap { list in Int(step).map { list[$0] } }
        }
    }

    fileprivate var references: [String] {
        (map?["$ref"]?.text).map { [$0] } ?? (list ?? map?.entries.map(\.value) ?? []).flatMap(\.references)
    }
}
