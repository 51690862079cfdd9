import BelfryEngine
import BelfryModel

extension ConfigurationSchema {
    static let forward = object(
        [
            ("url", ["type": "string", "pattern": "^[hH][tT][tT][pP][sS]?://"]),
            ("batch", whole(1, 10_000, default: 100)), ("every", duration(default: "60s")),
            ("immediate", bool(default: false)),
            ("attributes", choice(Configuration.Forward.Attributes.self, default: .all)),
            ("timeout", duration(default: "30s")),
            (
                "headers",
                [
                    "type": "object", "additionalProperties": ["type": "string"],
                    "description": "${NAME} in a value is a variable of the environment",
                ]
            ),
        ], required: ["url"])

    // MARK: Regions

    static let beacons = object([
        ("uuid", name("For beacon regions without one")),
        ("exitDelay", duration(default: "30s")),
        ("distances", ["type": "object", "minProperties": 1, "additionalProperties": meters]),
    ])

    static let region: Value = ["oneOf": [geofence, beacon]]

    private static let geofence = object(
        regionMembers("geofence") + [
            ("latitude", ["type": "number", "minimum": -90, "maximum": 90]),
            ("longitude", ["type": "number", "minimum": -180, "maximum": 180]),
            ("radius", ["type": "number", "exclusiveMinimum": 0, "default": 200]),
        ], required: ["id", "kind", "latitude", "longitude"])

    private static let beacon = object(
        regionMembers("beacon") + [
            ("uuid", name()), ("major", whole(0, 65535)), ("minor", whole(0, 65535)),
        ],
        required: ["id", "kind", "major"])

    private static func regionMembers(_ kind: String) -> [(String, Value)] {
        [
            ("id", name()), ("name", ["type": "string"]), ("kind", ["const": .text(kind)]),
            ("fields", ["type": ["object", "null"], "additionalProperties": ["type": ["string", "number"]]]),
            ("with", reference("with")),
        ]
    }

    // MARK: Campaigns

    static let campaign = object(
        [
            ("id", name()),
            ("kind", choice(Configuration.Kind.self, default: .notification)),
            ("published", bool(default: true)),
            ("title", template), ("message", template), ("data", [:]), ("presentation", [:]),
            ("handler", choice(Configuration.Handler.self)),
            ("tags", list(name())),
            ("priority", ["type": "integer", "default": 0]),
            ("groups", list(name())),
            ("triggers", list(reference("trigger"))),
            ("category", name()),
            ("onOpen", reference("action")), ("onFire", reference("action")),
            ("with", reference("with")),
            ("deleteOn", choice(Configuration.DeleteOn.self, default: .exit)),
        ], required: ["id"])

    private static let template: Value = [
        "type": "string", "description": "{field} and {region} are filled in; {{ and }} are literal braces",
    ]

    static let trigger = object(
        [
            ("id", name("Default: its position, from 1")), ("on", event),
            ("regions", ["anyOf": [["const": "all"], ["type": "array", "minItems": 1, "items": name()]]]),
            ("dwell", duration(default: nil)), ("in", distance), ("out", distance), ("with", reference("with")),
        ],
        allOf: [
            keys(["dwell"], of: ["dwell"], require: "dwell"),
            keys(["in", "out"], of: ["near", "away"], require: "in"),
        ])

    private static let event: Value = [
        "type": "string", "minLength": 1, "default": "enter", "not": ["const": "clock.advanced"],
        "examples": ["enter", "exit", "dwell", "near", "away", "request"],
    ]

    /// Keys that go with these events, one of them always, and with no others.
    private static func keys(_ keys: [String], of events: [String], require required: String) -> Value {
        [
            "if": ["properties": ["on": ["enum": .list(events.map(Value.text))]], "required": ["on"]],
            "then": ["required": [.text(required)]],
            "else": ["not": ["anyOf": .list(keys.map { ["required": [.text($0)]] })]],
        ]
    }

    private static let distance: Value = [
        "anyOf": [["type": "number", "exclusiveMinimum": 0], name("A class of beacons.distances")]
    ]

    // MARK: Categories and actions

    static let action: Value = ["type": "object", "properties": ["type": name()], "required": ["type"]]

    static let category = object(
        [("id", name()), ("buttons", list(reference("button")))], required: ["id", "buttons"])

    static let button = object(
        [
            ("id", name()), ("title", ["type": "string"]), ("destructive", bool(default: false)),
            ("authenticationRequired", bool(default: false)), ("foreground", bool(default: false)),
            ("action", reference("action")),
        ], required: ["id", "title"])

    // MARK: Silences

    static let silence = object(
        [
            ("id", name()), ("matchers", ["anyOf": [matchersByProperty, someOf(name("campaign=~\"promo-.*\""))]]),
            ("from", instant), ("until", instant), ("comment", ["type": "string"]), ("by", ["type": "string"]),
            ("updated", instant),
        ], required: ["id", "matchers"])

    private static let matchersByProperty: Value = [
        "type": "object", "minProperties": 1, "additionalProperties": ["type": ["string", "number", "boolean"]],
        "propertyNames": ["pattern": "^(campaign|group|tag|region|subject|channel|data[._].+)$"],
    ]

    // MARK: Experiments

    static let experiment = object(
        [
            ("id", name()), ("seed", name("Another one draws other subjects")), ("share", share),
            ("where", ["type": "object", "description": "A condition on attributes"]),
            ("namespace", namespace),
            ("variants", ["type": "array", "minItems": 1, "maxItems": 100, "items": reference("variant")]),
        ], required: ["id", "seed", "variants"])

    static let variant = object(
        [
            ("name", name()), ("weight", ["type": "number", "minimum": 0, "maximum": 1_000_000_000, "default": 1]),
            ("with", reference("with")),
        ],
        required: ["name"])

    private static let share: Value = ["type": "number", "minimum": 0, "maximum": 1, "default": 1]

    private static let namespace = object(
        [
            ("id", name()),
            (
                "range",
                [
                    "type": "array", "minItems": 2, "maxItems": 2,
                    "items": ["type": "number", "minimum": 0, "maximum": 1],
                ]
            ),
        ], required: ["id", "range"])

    private static let instant: Value = ["type": "string", "format": "date-time"]

    // MARK: Vocabulary

    /// A mapping with these keys and no others.
    ///
    /// - Parameter conditions: what has to hold besides.
    static func object(
        _ members: [(String, Value)], required: [String] = [], allOf conditions: [Value] = []
    ) -> Value {
        var schema = fields(members, required: required)
        if !conditions.isEmpty { schema["allOf"] = .list(conditions) }
        return .map(schema)
    }

    static func fields(_ members: [(String, Value)], required: [String]) -> Fields {
        var schema = Fields([("type", "object"), ("properties", .map(Fields(members)))])
        if !required.isEmpty { schema["required"] = .list(required.map(Value.text)) }
        schema["additionalProperties"] = false
        return schema
    }

    static func reference(_ definition: String) -> Value { ["$ref": .text("#/$defs/\(definition)")] }

    /// Null, too: a key whose items are all commented out.
    static func list(_ item: Value) -> Value { ["type": ["array", "null"], "items": item] }

    /// A list with at least one element.
    static func someOf(_ item: Value) -> Value { ["type": "array", "minItems": 1, "items": item] }

    static func name(_ description: String? = nil, default value: String? = nil) -> Value {
        var schema = Fields([("type", "string"), ("minLength", 1)])
        schema["description"] = description.map(Value.text)
        schema["default"] = value.map(Value.text)
        return .map(schema)
    }

    static func bool(default value: Bool) -> Value { ["type": "boolean", "default": .bool(value)] }

    static func whole(_ least: Int64, _ most: Int64? = nil, default value: Int64? = nil) -> Value {
        var schema = Fields([("type", "integer"), ("minimum", .integer(least))])
        schema["maximum"] = most.map(Value.integer)
        schema["default"] = value.map(Value.integer)
        return .map(schema)
    }

    static let meters: Value = ["type": "number", "exclusiveMinimum": 0, "description": "In metres"]

    static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ type: Choice.Type, default value: Choice? = nil
    ) -> Value {
        var schema = Fields([("enum", .list(Choice.allCases.map { .text($0.rawValue) }))])
        schema["default"] = value.map { .text($0.rawValue) }
        return .map(schema)
    }

    static func size(default value: String) -> Value {
        [
            "type": "string", "description": "With a unit: 512MiB, 2GB", "default": .text(value),
            "pattern": "^\\d+([KMGT]i|[kMGT])B$",
        ]
    }

    static func duration(default value: String?) -> Value {
        var schema = Fields([("$ref", "#/$defs/duration")])
        schema["default"] = value.map(Value.text)
        return .map(schema)
    }

    static let duration: Value = [
        "type": "string", "description": "With a unit: 300ms, 90s, 5m, 1h30m, 7d, or ISO 8601: PT5M",
        "pattern": .text(Duration.pattern),
    ]
}
