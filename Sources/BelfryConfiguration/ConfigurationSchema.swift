import BelfryEngine
import BelfryModel

/// The JSON Schema (draft 2020-12) of a configuration: what editors complete and check by.
///
/// It says what each key is. What ties keys together (references, unique ids, `out` not below `in`) only the reader checks.
public struct ConfigurationSchema {
    private let parameters: [String: Value]
    let sinks: [String: Value]

    /// - Parameters:
    ///   - parameters: the schema of each strategy's parameters, by the strategy's name; one without stands for any mapping.
    ///   - sinks: the same of the types of sinks that plugins have.
    public init(parameters: [String: Value] = [:], sinks: [String: Value] = [:]) {
        (self.parameters, self.sinks) = (parameters, sinks)
    }

    /// The whole schema.
    public var value: Value {
        var schema = Fields([
            ("$schema", "https://json-schema.org/draft/2020-12/schema"), ("title", "Belfry configuration"),
        ])
        for entry in Self.object(members, required: ["app"]).entries { schema[entry.key] = entry.value }
        schema["$defs"] = .map(definitions)
        return .map(schema)
    }

    private var members: [(String, Value)] {
        [
            ("app", Self.name("The source of every decision")),
            ("timeZone", Self.name("IANA name, for subjects that have none", default: "UTC")),
            ("enableOnFirstRun", Self.bool(default: true)),
            ("store", ["type": "string", "pattern": "^(memory:?|(sqlite|postgres(ql)?):.+)$", "default": "memory"]),
            (
                "plugins",
                .map(Self.object([("directories", Self.list(Self.name()))], required: ["directories"]))
            ),
            ("trust", Self.trust),
            ("actions", .map(Self.object([("timeout", Self.duration(default: "5s"))]))),
            ("forward", Self.reference("forward")),
            ("current", .map(Self.object([("limit", Self.whole(1))], required: ["limit"]))),
            (
                "batch",
                .map(
                    Self.object([
                        ("signals", Self.whole(1, 1_000_000, default: 1000)), ("every", Self.reference("duration")),
                    ]))
            ),
            (
                "journal",
                .map(
                    Self.object([
                        ("checkpoint", Self.duration(default: "10s")), ("keep", Self.keep(default: "0s")),
                    ]))
            ),
            ("isolation", Self.choice(Configuration.Isolation.self)),
            (
                "limits",
                .map(
                    Self.object([("call", Self.duration(default: "100ms")), ("memory", Self.size(default: "512MiB"))]))
            ),
            ("sandbox", ["enum": ["on", "off", true, false], "description": "Default: on"]),
            ("serve", Self.reference("service")),
            ("duplicates", .map(Self.object([("remember", Self.remember)], required: ["remember"]))),
            ("clock", .map(Self.object([("ahead", Self.duration(default: "5m"))], required: ["ahead"]))),
            ("history", .map(Self.object([("limit", Self.whole(1, default: 100))], required: ["limit"]))),
            ("regionLimit", Self.whole(5, 20)),
            ("accuracyLimit", Self.meters),
            ("fields", Self.list(Self.name("A custom region field"))),
            ("beacons", Self.reference("beacons")),
            ("chain", Self.list(Self.reference("entry"))),
            ("groups", Self.list(Self.reference("group"))),
            ("regions", Self.list(Self.reference("region"))),
            ("campaigns", Self.list(Self.reference("campaign"))),
            ("categories", Self.list(Self.reference("category"))),
            ("experiments", Self.list(Self.reference("experiment"))),
            ("silences", Self.list(Self.reference("silence"))),
            ("sinks", Self.list(Self.reference("sink"))),
            ("include", Self.list(Self.name("A file or pattern, relative to this file"))),
        ]
    }

    private static let trust: Value = .map(
        object([
            (
                "mode",
                ["enum": ["enforce", "warn", "off", false], "description": "Default: enforce where there is a lock"]
            ),
            ("signers", name("A file of OpenSSH's allowed_signers: who may sign plugins")),
        ]))

    private static let remember: Value = [
        "anyOf": [["const": "forever"], reference("duration")], "default": "30d",
        "description": "How long ids of signals and keys of requests are remembered, in the subject's time",
    ]

    private var definitions: Fields {
        Fields([
            ("duration", Self.duration), ("forward", Self.forward), ("service", Self.service),
            ("beacons", Self.beacons), ("entry", entry),
            ("with", with),
            (
                "group",
                .map(Self.object([("id", Self.name()), ("with", Self.reference("with"))], required: ["id"]))
            ),
            ("region", Self.region), ("campaign", Self.campaign), ("trigger", Self.trigger),
            ("action", Self.action),
            ("category", Self.category), ("button", Self.button), ("silence", Self.silence),
            ("experiment", Self.experiment), ("variant", Self.variant), ("sink", sink),
        ])
    }

    // MARK: The chain

    /// An entry; a strategy whose parameters are known narrows `parameters`.
    private var entry: Value {
        var entry = Self.object(
            [
                (
                    "strategy",
                    parameters.isEmpty
                        ? Self.name() : ["type": "string", "minLength": 1, "examples": .list(strategies)]
                ),
                ("id", ["type": "string", "minLength": 1, "not": ["const": "belfry"]]),
                ("enabled", Self.bool(default: true)),
                (
                    "per",
                    [
                        "type": "string",
                        "pattern": "^(subject|channel|campaign|trigger|region|group|data\\..+)$",
                    ]
                ),
                ("parameters", ["type": "object"]),
                ("control", Self.choice(Configuration.Control.self, default: .required)),
                (
                    "when",
                    [
                        "type": "object",
                        "description": "A condition on campaign, region, trigger, data, user and channel",
                    ]
                ),
            ], required: ["strategy"])
        let narrowings = parameters.sorted { $0.key < $1.key }.map { name, schema -> Value in
            [
                "if": ["properties": ["strategy": ["const": .text(name)]], "required": ["strategy"]],
                "then": ["properties": ["parameters": schema]],
            ]
        }
        if !narrowings.isEmpty { entry["allOf"] = .list(narrowings) }
        return .map(entry)
    }

    private var strategies: [Value] { parameters.keys.sorted().map(Value.text) }

    /// By chain entry. One is mostly called as its strategy is; then its parameters are known.
    private var with: Value {
        let known = parameters.sorted { $0.key < $1.key }.map { ($0, Self.level($1)) }
        return [
            "type": ["object", "null"], "description": "Parameters by chain entry",
            "properties": .map(Fields(known)), "additionalProperties": Self.level(["type": "object"]),
        ]
    }

    private static func level(_ parameters: Value) -> Value {
        ["anyOf": [parameters, ["enum": ["off", false, "on", true]]]]
    }
}
