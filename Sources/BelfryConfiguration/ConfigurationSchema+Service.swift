import BelfryModel

extension ConfigurationSchema {
    static let service = object(
        [
            ("listen", address("Where the API is", default: "127.0.0.1:8787")),
            ("manage", address("Where health, metrics and reload are", default: "127.0.0.1:8788")),
            ("advertise", networkAddress("Where other replicas reach the API; default: where it listens")),
            ("tokens", name("The file with the tokens of callers, relative to this one")),
            ("jwt", jwt),
            ("tls", tls), ("keep", keep(default: "7d")), ("limits", limits),
        ])

    private static let tls = object(
        [
            ("certificate", name("The certificate in PEM, with those between it and its authority")),
            ("key", name("Its private key in PEM")),
            ("clientCA", name("Authorities whose certificates clients have to show")),
        ], required: ["certificate", "key"])

    private static let limits = object([
        ("body", size("Of a request that is not streamed", default: "8MiB")),
        ("connections", whole(1, 1_000_000, default: 1024)), ("streams", whole(1, 1_000_000, default: 64)),
        ("queue", whole(1, 10_000_000, default: 100_000)), ("rate", whole(1, 1_000_000)),
        ("idle", duration(default: "60s")),
    ])

    private static let jwt = object(
        [
            ("keys", name("The file with the issuer's public keys (JWKS), relative to this one")),
            ("issuer", name("What 'iss' of a token has to be")),
            ("audience", name("What 'aud' of a token has to have")),
            ("claim", name("Where a token has the roles of its holder; may be a path with dots", default: "role")),
            (
                "roles",
                [
                    "type": "object", "minProperties": 1,
                    "additionalProperties": ["enum": ["submit", "read", "operate", "admin"]],
                    "description": "From what the claim says to a role; absent: it names roles itself",
                ]
            ),
        ], required: ["keys", "issuer", "audience"])

    private static func address(_ description: String, default: String? = nil) -> Value {
        var schema: Fields = [
            "type": "string", "pattern": "^(unix:.+|.+:[0-9]+)$", "description": .text(description),
        ]
        schema["default"] = `default`.map { .text($0) }
        return .map(schema)
    }

    private static func networkAddress(_ description: String) -> Value {
        // Schemas know no other way to leave a beginning out.
        ["type": "string", "pattern": "^(?!unix:).+:[0-9]+$", "description": .text(description)]
    }

    private static func size(_ description: String, default: String) -> Value {
        [
            "type": "string", "pattern": "^[0-9]+([KMGT]iB|kB|[MGT]B)$", "default": .text(`default`),
            "description": .text(description),
        ]
    }
}
