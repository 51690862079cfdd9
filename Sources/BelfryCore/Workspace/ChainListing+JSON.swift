import BelfryModel

extension ChainListing {
    /// For machines.
    public var value: Value {
        .list(
            entries.map { entry in
                var fields = Fields([
                    ("position", .integer(Int64(entry.position))), ("entry", .text(entry.id)),
                    ("strategy", .text(entry.strategy)),
                ])
                fields["plugin"] = entry.plugin.map { .text($0) }
                fields["version"] = entry.version.map { .text($0) }
                fields["per"] = .text(entry.counter)
                fields["control"] = .text(entry.control)
                fields["enabled"] = .bool(entry.isEnabled)
                fields["parameters"] = .list(entry.parameters.map(\.json))
                return .map(fields)
            })
    }
}

extension ChainListing.Parameter {
    fileprivate var json: Value {
        var fields = Fields()
        fields["name"] = name.map { .text($0) }
        fields["value"] = value
        fields["file"] = .text(file)
        fields["line"] = .integer(Int64(line))
        fields["path"] = .text(path)
        return .map(fields)
    }
}
