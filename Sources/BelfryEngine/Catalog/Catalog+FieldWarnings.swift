import BelfryModel

extension Catalog {
    /// Names of region fields that are not declared: no region has them, so what goes by one never holds, or always.
    var strangeFields: [String] {
        let known = Set(configuration.fields.map { $0.lowercased() })
        let strange = fieldsInConditions + fieldsOfRegionChange
        return strange.filter { !known.contains($0.field.lowercased()) }.map { doubt(about: $0.field, in: $0.place) }
    }

    private func doubt(about field: String, in place: String) -> String {
        let nearest = nearestMatch(to: field, among: configuration.fields).map { "; did you mean '\($0)'?" } ?? ""
        return "\(place): there is no region field '\(field)'\(nearest)"
    }

    /// Properties below `region.fields` in `when`, and in conditions among the parameters.
    private var fieldsInConditions: [(place: String, field: String)] {
        let inWhen = configuration.chain.compactMap(\.when).flatMap(\.paths).map { $0.joined(separator: ".") }
        let inParameters = configuration.allParameters.flatMap { $0.keys { $0.hasPrefix(Self.fieldPrefix) } }
        let names = Set(inWhen + inParameters).filter { $0.hasPrefix(Self.fieldPrefix) }
        return names.sorted().map { ("'\($0)'", String($0.dropFirst(Self.fieldPrefix.count))) }
    }

    private static let fieldPrefix = "region.fields."

    /// No schema says of a text that it names a region field: the bundled strategy with such a parameter is known by its name.
    private var fieldsOfRegionChange: [(place: String, field: String)] {
        configuration.chain.filter { $0.strategy == "region-change" }.flatMap { entry in
            let fields = configuration.parameters(of: entry).compactMap { $0.map?["field"]?.text }
            return Set(fields).sorted().map { ("entry '\(entry.id)', field", $0) }
        }
    }
}

extension Configuration {
    /// The parameters of all entries, at every level.
    var allParameters: [Value] {
        chain.compactMap(\.parameters) + levels.flatMap(\.with.values).compactMap(\.parameters)
    }

    fileprivate func parameters(of entry: Entry) -> [Value] {
        [entry.parameters].compactMap { $0 } + levels.compactMap { $0.with[entry.id]?.parameters }
    }
}

extension Configuration.Level {
    fileprivate var parameters: Value? { if case .on(let parameters) = self { parameters } else { nil } }
}
