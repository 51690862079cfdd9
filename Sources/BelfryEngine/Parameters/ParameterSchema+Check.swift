import BelfryModel

extension ParameterSchema {
    /// Everything wrong with a value at `path`, leaving aside what is missing.
    package func problems(in value: Value, at path: [String]) -> [ConfigurationProblem] {
        guard isList else { return elementProblems(in: value, at: path) }
        guard let list = value.list else { return [mismatch(value, "a list of \(plural)", at: path)] }
        return sizeProblems(Double(list.count), "entries", at: path)
            + list.enumerated().flatMap { elementProblems(in: $1, at: path + [String($0)]) }
    }

    /// The required parameters that are not there, by path.
    package func missing(in value: Value, at path: [String]) -> [ConfigurationProblem] {
        if isList { return (value.list ?? []).enumerated().flatMap { elementMissing(in: $1, at: path + [String($0)]) } }
        return elementMissing(in: value, at: path)
    }

    private func elementMissing(in value: Value, at path: [String]) -> [ConfigurationProblem] {
        guard case .object(let members) = type, let map = value.map else { return [] }
        return members.flatMap { member -> [ConfigurationProblem] in
            if let value = map[member.name] { return member.missing(in: value, at: path + [member.name]) }
            guard member.isRequired, !isReplaced(member, in: map), !isMisspelt(member, in: map) else { return [] }
            return [
                ConfigurationProblem(
                    path: path, found: "no '\(member.name)'", expected: "\(member.name): \(member.summary)",
                    fix: "give '\(member.name)' \(member.expectation)")
            ]
        }
    }

    /// Whether another parameter is there that stands instead of this one.
    func isReplaced(_ member: ParameterSchema, in map: Fields) -> Bool {
        members.contains { map[$0.name] != nil && $0.replaces.contains(member.name) }
    }

    /// Whether it, or what stands instead of it, is there under nearly its name: that is told as an unknown parameter.
    private func isMisspelt(_ member: ParameterSchema, in map: Fields) -> Bool {
        let names = members.map(\.name)
        return map.keys.contains { key in
            guard !names.contains(key), let near = nearestMatch(to: key, among: names) else { return false }
            return near == member.name || members.contains { $0.name == near && $0.replaces.contains(member.name) }
        }
    }

    private func elementProblems(in value: Value, at path: [String]) -> [ConfigurationProblem] {
        switch type {
        case .none:
            // What switches on again what another level switched off says `on`, which is an empty mapping.
            if value.map?.isEmpty == true { return [] }
            return [
                ConfigurationProblem(
                    path: path, found: "parameters", expected: "none: this strategy takes no parameters")
            ]
        case .any: return []
        case .boolean: return value.bool == nil ? [mismatch(value, expectation, at: path)] : []
        case .integer:
            guard let integer = value.integer else { return [mismatch(value, expectation, at: path)] }
            return rangeProblems(Double(integer), value, at: path)
        case .number:
            guard let number = value.number else { return [mismatch(value, expectation, at: path)] }
            return rangeProblems(number, value, at: path)
        case .text:
            guard let text = value.text else { return [mismatch(value, expectation, at: path)] }
            return isList ? [] : sizeProblems(Double(text.count), "characters", at: path)
        case .duration: return durationProblems(in: value, at: path)
        case .choice(let choices):
            guard let text = value.text else { return [mismatch(value, expectation, at: path)] }
            return choices.contains(text) ? [] : [.unknown("value", text, among: choices, at: path)]
        case .condition: return conditionProblems(in: value, at: path)
        case .object(let members): return objectProblems(in: value, members, at: path)
        }
    }

    private func objectProblems(in value: Value, _ members: [ParameterSchema], at path: [String])
        -> [ConfigurationProblem]
    {
        guard let map = value.map else { return [mismatch(value, "a mapping", at: path)] }
        return map.entries.flatMap { entry -> [ConfigurationProblem] in
            let path = path + [entry.key]
            guard let member = members.first(where: { $0.name == entry.key }) else {
                return [.unknown("parameter", entry.key, among: members.map(\.name), at: path)]
            }
            let conflict = member.replaces.first { map[$0] != nil }.map {
                ConfigurationProblem(
                    path: path, found: "'\(entry.key)' beside '\($0)'", expected: "one of the two",
                    fix: "take one of them away: '\(entry.key)' stands instead of '\($0)'")
            }
            return (conflict.map { [$0] } ?? []) + member.problems(in: entry.value, at: path)
        }
    }

    private func durationProblems(in value: Value, at path: [String]) -> [ConfigurationProblem] {
        guard let text = value.text, let duration = Duration(text: text) else {
            let isBare = value.number != nil && value.number != 0
            return [
                ConfigurationProblem(
                    path: path, found: value.quoted, expected: expectation,
                    fix: value.number == nil
                        ? nil
                        : isBare
                            ? "add the unit: '\(value.json)s' for seconds, '\(value.json)m' for minutes" : "write 0s")
            ]
        }
        return rangeProblems(Double(duration.milliseconds), value, at: path)
    }

    private func conditionProblems(in value: Value, at path: [String]) -> [ConfigurationProblem] {
        do {
            _ = try Condition(value)
            return []
        } catch {
            return error.problems.map { $0.below(path) }
        }
    }

    private func rangeProblems(_ number: Double, _ value: Value, at path: [String]) -> [ConfigurationProblem] {
        // Of a list, the bounds are those of its length.
        guard !isList, number < minimum ?? -.infinity || number > maximum ?? .infinity else { return [] }
        return [mismatch(value, expectation, at: path)]
    }

    private func sizeProblems(_ size: Double, _ what: String, at path: [String]) -> [ConfigurationProblem] {
        guard size < minimum ?? -.infinity || size > maximum ?? .infinity else { return [] }
        return [ConfigurationProblem(path: path, found: "\(Int(size)) \(what)", expected: "\(range) \(what)")]
    }

    private func mismatch(_ value: Value, _ expected: String, at path: [String]) -> ConfigurationProblem {
        ConfigurationProblem(path: path, found: value.quoted, expected: expected)
    }
}

extension ParameterSchema {
    /// What an error says it expected: `a duration such as 90s, 30m or 1h30m`, `a whole number, at least 0`.
    public var expectation: String {
        let bounds = range.isEmpty || isList ? "" : ", \(range)"
        return switch type {
        case .boolean: "true or false"
        case .integer: "a whole number\(bounds)"
        case .number: "a number\(bounds)"
        case .text: "text"
        case .duration: "a duration with its unit, such as 90s, 30m, 1h30m or P1D\(bounds)"
        case .choice(let choices): "one of \(choices.joined(separator: ", "))"
        case .condition: "a condition: a mapping from property to value or operators"
        case .object: "a mapping"
        case .any: "a value"
        case .none: "nothing"
        }
    }

    private var plural: String {
        switch type {
        case .object: "mappings"
        case .integer: "whole numbers"
        case .text: "texts"
        default: "values"
        }
    }

    /// `at least 0`, `0 to 1`, `at most 12h`; empty without bounds.
    public var range: String {
        switch (minimum.map(bound), maximum.map(bound)) {
        case (let low?, let high?): "\(low) to \(high)"
        case (let low?, nil): "at least \(low)"
        case (nil, let high?): "at most \(high)"
        case (nil, nil): ""
        }
    }

    private func bound(_ number: Double) -> String {
        if case .duration = type { return Duration(milliseconds: Int64(number)).description }
        return Value.number(number).json
    }
}
