import BelfryModel

extension Catalog {
    /// Undeclared properties below `region.fields` in conditions, of `when` and of parameters. No region has them, so such a condition never
    /// holds, or always does.
    var strangeFields: [String] {
        let inWhen = configuration.chain.compactMap(\.when).flatMap(\.paths).map { $0.joined(separator: ".") }
        let inParameters = configuration.allParameters.flatMap { $0.keys { $0.hasPrefix(Self.fieldPrefix) } }
        let names = Set(inWhen + inParameters).filter { $0.hasPrefix(Self.fieldPrefix) }
        return names.sorted().compactMap { doubt(about: String($0.dropFirst(Self.fieldPrefix.count))) }
    }

    private func doubt(about field: String) -> String? {
        if configuration.fields.contains(where: { $0.lowercased() == field.lowercased() }) { return nil }
        let nearest = nearestMatch(to: field, among: configuration.fields).map { "; did you mean '\($0)'?" } ?? ""
        return "'\(Self.fieldPrefix)\(field)': there is no region field '\(field)'\(nearest)"
    }

    private static let fieldPrefix = "region.fields."
}

extension Configuration {
    /// The parameters of all entries, at every level.
    var allParameters: [Value] {
        chain.compactMap(\.parameters) + levels.flatMap(\.with.values).compactMap(\.parameters)
    }
}

extension Configuration.Level {
    fileprivate var parameters: Value? { if case .on(let parameters) = self { parameters } else { nil } }
}
