import BelfryEngine
import BelfryModel

extension ConfigurationSchema {
    /// Those of Belfry itself, and those of plugins.
    var sink: Value { ["oneOf": .list(Self.ownSinks + sinks.sorted { $0.key < $1.key }.map(Self.sink))] }

    private static let ownSinks: [Value] = [
        sink(
            .webhook,
            [
                ("url", url), ("secret", variable("whsec_ and Base64; two while they are changed")),
                body,
                ("headers", ["type": "object", "additionalProperties": ["type": "string"]]), allow, timeout,
                concurrency,
            ], required: ["url"]),
        sink(
            .exec,
            [
                (
                    "command",
                    [
                        "type": ["array", "string"], "minItems": 1, "minLength": 1,
                        "items": ["type": ["string", "number"]],
                    ]
                ), timeout,
            ],
            required: ["command"]),
        sink(.file, [("path", name("Relative to this file"))], required: ["path"]),
        sink(.ntfy, [("url", url), ("token", variable("An access token")), allow, timeout], required: ["url"]),
        sink(
            .desktop,
            [
                ("name", name("Of the application, as the desktop shows it")),
                ("icon", name("Of the desktop's theme, or a file")),
                ("urgency", choice(Configuration.Sink.Desktop.Urgency.self, default: .normal)),
                ("visible", reference("duration")), timeout,
            ], required: []),
        sink(.webPush, webPush, required: ["subscription", "vapid"]),
    ]

    private static func sink(_ type: String, _ parameters: Value) -> Value {
        sink(type, [("parameters", parameters), timeout], required: [])
    }

    private static func sink(
        _ kind: Configuration.Sink.Kind, _ members: [(String, Value)], required: [String]
    ) -> Value {
        sink(kind.rawValue, members, required: required)
    }

    private static func sink(_ type: String, _ members: [(String, Value)], required: [String]) -> Value {
        let common: [(String, Value)] = [
            ("id", ["type": "string", "pattern": "^(?!forward$)[A-Za-z0-9._-]+$"]), ("type", ["const": .text(type)]),
            ("types", someOf(choice(Decision.Kind.self))),
            (
                "when",
                ["type": "object", "description": "A condition on type, subject, time, cause, data and campaign"]
            ),
            ("rate", ["type": "string", "pattern": "^[0-9]+/[smh]$"]), ("expires", reference("duration")),
            ("receipts", choice(Configuration.Sink.Receipts.self, default: .failed)),
        ]
        return object(common + members, required: ["id", "type"] + required)
    }

    private static let url: Value = ["type": "string", "pattern": "^[hH][tT][tT][pP][sS]?://"]
    private static let timeout = ("timeout", duration(default: "30s"))
    private static let allow: (String, Value) = (
        "allow", list(name("A network that is not open and that may be used, such as 127.0.0.0/8"))
    )

    private static let body: (String, Value) = (
        "body", ["type": ["object", "array"], "description": "Sent as JSON; texts may have {placeholders}"]
    )
    private static let concurrency = ("concurrency", whole(1, 1000, default: 16))

    private static let webPush: [(String, Value)] = [
        (
            "subscription",
            ["type": ["string", "object"], "description": "Where a decision has it, such as {data.data.push}"]
        ),
        (
            "vapid",
            object(
                [
                    ("subject", ["type": "string", "pattern": "^(mailto:|https://)"]),
                    ("key", variable("The private key, in Base64 for URLs")),
                ], required: ["subject", "key"])
        ),
        ("ttl", duration(default: "1d")),
        ("urgency", choice(Configuration.Sink.WebPush.Urgency.self, default: .normal)),
        ("topic", name("Of several that are not delivered yet, only the last is; texts may have {placeholders}")),
        body, allow, timeout, concurrency,
    ]

    private static func variable(_ description: String) -> Value {
        ["type": "string", "description": .text("\(description). ${NAME} is a variable of the environment")]
    }

    /// How long a journal is kept.
    static func keep(default value: String) -> Value {
        let both = object([("for", reference("duration")), ("atMost", reference("duration"))], required: ["for"])
        return ["anyOf": [reference("duration"), both], "default": .text(value)]
    }
}
