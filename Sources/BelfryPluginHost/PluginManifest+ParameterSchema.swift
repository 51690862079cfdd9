import BelfryEngine

extension PluginManifest.Parameter {
    /// What values are checked by, in a process that has not loaded the plugin.
    package var schema: ParameterSchema {
        var schema = ParameterSchema(kind: kind)
        (schema.name, schema.summary) = (name, summary ?? "")
        (schema.isList, schema.isRequired) = (isList, isRequired)
        (schema.minimum, schema.maximum) = (minimum, maximum)
        (schema.defaultValue, schema.replaces) = (defaultValue?.value, replaces)
        return schema
    }

    private var kind: ParameterSchema.Kind {
        switch type {
        case "boolean": .boolean
        case "integer": .integer
        case "number": .number
        case "text": .text
        case "duration": .duration
        case "choice": .choice(choices)
        case "condition": .condition
        case "object": .object(members.map(\.schema))
        default: .any
        }
    }
}
