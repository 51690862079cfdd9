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
        let root = Self.fields(Self.surroundings + Self.limits + Self.content, required: ["app"])
        for entry in root.entries { schema[entry.key] = entry.value }
        schema["$defs"] = .map(definitions)
        return .map(schema)
    }

    // MARK: The document

    private static let surroundings: [(String, Value)] = [
        ("app", name("The source of every decision")),
        ("timeZone", name("IANA name, for subjects that have none", default: "UTC")),
        ("enableOnFirstRun", bool(default: true)),
        ("store", ["type": "string", "pattern": "^(memory:?|(sqlite|postgres(ql)?):.+)$", "default": "memory"]),
        ("plugins", object([("directories", list(name()))], required: ["directories"])),
        ("trust", trust),
        ("actions", object([("timeout", duration(default: "5s"))])),
        ("forward", reference("forward")),
        ("current", object([("limit", whole(1))], required: ["limit"])),
        ("batch", object([("signals", whole(1, 1_000_000, default: 1000)), ("every", reference("duration"))])),
        ("journal", object([("checkpoint", duration(default: "10s")), ("keep", keep(default: "0s"))])),
        ("isolation", choice(Configuration.Isolation.self)),
        ("limits", object([("call", duration(default: "100ms")), ("memory", size(default: "512MiB"))])),
        ("sandbox", ["enum": ["on", "off", true, false], "description": "Default: on"]),
        ("serve", reference("service")),
    ]

    private static let limits: [(String, Value)] = [
        ("duplicates", object([("remember", remember)], required: ["remember"])),
        ("clock", object([("ahead", duration(default: "5m"))], required: ["ahead"])),
        ("history", object([("limit", whole(1, default: 100))], required: ["limit"])),
        ("regionLimit", whole(5, 20)),
        ("accuracyLimit", meters),
    ]

    private static let content: [(String, Value)] = [
        ("fields", list(name("A custom region field"))),
        ("beacons", reference("beacons")),
        ("chain", list(reference("entry"))),
        ("groups", list(reference("group"))),
        ("regions", list(reference("region"))),
        ("campaigns", list(reference("campaign"))),
        ("categories", list(reference("category"))),
        ("experiments", list(reference("experiment"))),
        ("silences", list(reference("silence"))),
        ("sinks", list(reference("sink"))),
        ("include", list(name("A file or pattern, relative to this file"))),
    ]

    private static let trust = object([
        (
            "mode",
            ["enum": ["enforce", "warn", "off", false], "description": "Default: enforce where there is a lock"]
        ),
        ("signers", name("A file of OpenSSH's allowed_signers: who may sign plugins")),
    ])

    private static let remember: Value = [
        "anyOf": [["const": "forever"], reference("duration")], "default": "30d",
        "description": "How long ids of signals and keys of requests are remembered, in the subject's time",
    ]

    private var definitions: Fields {
        Fields([
            ("duration", Self.duration), ("forward", Self.forward), ("service", Self.service),
            ("beacons", Self.beacons), ("entry", entry), ("with", with), ("group", Self.group),
            ("region", Self.region), ("campaign", Self.campaign), ("trigger", Self.trigger),
            ("action", Self.action), ("category", Self.category), ("button", Self.button), ("silence", Self.silence),
            ("experiment", Self.experiment), ("variant", Self.variant), ("sink", sink),
        ])
    }

    private static let group = object([("id", name()), ("with", reference("with"))], required: ["id"])

    // MARK: The chain

    private var entry: Value {
        Self.object(
            [
                ("strategy", parameters.isEmpty ? Self.name() : Self.strategy(strategies)),
                ("id", ["type": "string", "minLength": 1, "not": ["const": "belfry"]]),
                ("enabled", Self.bool(default: true)), ("per", Self.per), ("parameters", ["type": "object"]),
                ("control", Self.choice(Configuration.Control.self, default: .required)), ("when", Self.when),
            ], required: ["strategy"], allOf: narrowings)
    }

    private static func strategy(_ known: [Value]) -> Value {
        ["type": "string", "minLength": 1, "examples": .list(known)]
    }

    private static let per: Value = [
        "type": "string", "pattern": "^(subject|channel|campaign|trigger|region|group|data\\..+)$",
    ]

    private static let when: Value = [
        "type": "object", "description": "A condition on campaign, region, trigger, data, user and channel",
    ]

    /// A strategy whose parameters are known narrows `parameters`.
    private var narrowings: [Value] {
        parameters.sorted { $0.key < $1.key }.map { name, schema in
            [
                "if": ["properties": ["strategy": ["const": .text(name)]], "required": ["strategy"]],
                "then": ["properties": ["parameters": schema]],
            ]
        }
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
