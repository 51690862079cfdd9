import BelfryModel

extension ParameterSchema {
    /// What parameters say, however they are written: durations in milliseconds, 1.0 as 1, and defaults spelled out. It is for comparing,
    /// not for a strategy.
    ///
    /// - Parameter value: without problems.
    func meaning(of value: Value) -> Value {
        guard isList, let items = value.list else { return elementMeaning(of: value) }
        return .list(items.map(elementMeaning))
    }

    private func elementMeaning(of value: Value) -> Value {
        if case .duration = type, let duration = value.text.flatMap({ Duration(text: $0) }) {
            return .integer(duration.milliseconds)
        }
        guard case .object(let members) = type, let map = value.map else { return value.withWholeNumbers }
        return .map(meaning(of: map, members))
    }

    private func meaning(of map: Fields, _ members: [ParameterSchema]) -> Fields {
        var meaning = map
        for member in members {
            // A default says nothing where another parameter stands instead.
            let fallback = isReplaced(member, in: map) ? nil : member.defaultValue
            meaning[member.name] = (map[member.name] ?? fallback).map { member.meaning(of: $0) }
        }
        return meaning
    }
}

extension Value {
    /// The same with 1.0 as 1, all the way down.
    fileprivate var withWholeNumbers: Value {
        switch self {
        case .number: integer.map { Value.integer($0) } ?? self
        case .list(let items): .list(items.map(\.withWholeNumbers))
        case .map(let fields): .map(Fields(fields.entries.map { ($0.key, $0.value.withWholeNumbers) }))
        default: self
        }
    }
}
