import BelfryModel

extension PluginManifest.Parameter {
    /// The parameter as JSON Schema (draft 2020-12). What a cascade may complete is not required.
    public var jsonSchema: Value {
        var schema = isList ? Fields([("type", Value.text("array")), ("items", .map(element))]) : element
        if isList {
            schema["minItems"] = minimum.map { .integer(Int64($0)) }
            schema["maxItems"] = maximum.map { .integer(Int64($0)) }
        }
        schema["description"] = description.map { .text($0) }
        schema["default"] = defaultValue?.value
        return .map(schema)
    }

    /// With the bounds of a duration, which a pattern cannot express.
    private var description: String? {
        let bounds =
            type == "duration" && !isList
            ? [minimum.map { "at least \(duration($0))" }, maximum.map { "at most \(duration($0))" }] : []
        let notes = [unit].compactMap { $0 } + bounds.compactMap { $0 }
        return summary.map { notes.isEmpty ? $0 : "\($0) (\(notes.joined(separator: ", ")))" }
    }

    private func duration(_ milliseconds: Double) -> Duration { Duration(milliseconds: Int64(milliseconds)) }

    private var element: Fields {
        switch type {
        case "boolean": Fields([("type", Value.text("boolean"))])
        case "integer", "number": numeric
        case "text": text
        case "duration":
            Fields([
                ("type", Value.text("string")), ("pattern", Value.text(Duration.pattern)),
                ("examples", Value.list(["90s", "30m", "1h30m", "P1D"])),
            ])
        case "choice": Fields([("enum", Value.list(choices.map { .text($0) }))])
        case "condition": Fields([("type", Value.text("object"))])
        case "object": object
        default: Fields()
        }
    }

    /// A cascade completes no mapping within parameters, so that its members are required.
    private var object: Fields {
        var schema = Fields([
            ("type", Value.text("object")), ("additionalProperties", Value.bool(false)),
            ("properties", Value.map(Fields(members.map { ($0.name, $0.jsonSchema) }))),
        ])
        let replaced = Set(members.flatMap(\.replaces))
        let required = members.filter { $0.isRequired && !replaced.contains($0.name) }
        if !required.isEmpty { schema["required"] = .list(required.map { .text($0.name) }) }
        return schema
    }

    private var text: Fields {
        var schema = Fields([("type", Value.text("string"))])
        guard !isList else { return schema }
        schema["minLength"] = minimum.map { .integer(Int64($0)) }
        schema["maxLength"] = maximum.map { .integer(Int64($0)) }
        return schema
    }

    private var numeric: Fields {
        var schema = Fields([("type", Value.text(type))])
        guard !isList else { return schema }
        schema["minimum"] = minimum.map { .number($0) }
        schema["maximum"] = maximum.map { .number($0) }
        return schema
    }
}
