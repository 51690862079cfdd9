import BelfryModel

extension ParameterSchema {
    /// `base` with the more specific `override` on top, key by key. What a key of `override` replaces, leaves `base`.
    func merge(_ base: Value, with override: Value) -> Value {
        guard var merged = base.map, let override = override.map else { return override }
        for entry in override.entries {
            for replaced in members.first(where: { $0.name == entry.key })?.replaces ?? [] { merged[replaced] = nil }
            merged[entry.key] = entry.value
        }
        return .map(merged)
    }
}
