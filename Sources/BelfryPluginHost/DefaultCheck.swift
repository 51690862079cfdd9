import BelfryEngine
import BelfryModel
import CBelfry

/// Whether a default is a value that its own description allows.
struct DefaultCheck {
    let parameter: UnsafePointer<belfry_parameter>
    let type: ParameterType

    /// What is wrong, to follow "its default"; nil if nothing is.
    func problem(with value: UnsafePointer<belfry_value>) -> String? {
        if let problem = shapeProblem(value, depth: 0) { return problem }
        guard parameter.pointee.isList else { return itemProblem(value) ?? rangeProblem(measure(value)) }
        guard value.pointee.kind == BELFRY_LIST else {
            return "is \(kindName(value.pointee.kind)), not a list"
        }
        for index in 0..<Int(value.pointee.count) {
            if let items = value.pointee.items, let problem = itemProblem(items + index) {
                return "has an item that \(problem)"
            }
        }
        return rangeProblem(Double(value.pointee.count))
    }

    /// Whether the value can be read at all: known kinds, no missing items, texts that are texts, not
    /// endlessly deep.
    private func shapeProblem(_ value: UnsafePointer<belfry_value>, depth: Int) -> String? {
        guard value.pointee.kind <= BELFRY_INSTANT else {
            return "has the unknown kind \(value.pointee.kind)"
        }
        if value.pointee.kind == BELFRY_NUMBER, !value.pointee.number.isFinite { return "is no finite number" }
        if value.pointee.kind == BELFRY_TEXT, value.pointee.text.checkedString == nil {
            return "has a text that is not UTF-8"
        }
        guard value.pointee.kind == BELFRY_LIST || value.pointee.kind == BELFRY_MAP, value.pointee.count > 0
        else { return nil }
        guard let items = value.pointee.items, value.pointee.count <= 4096, depth < 16 else {
            return "has items that cannot be read"
        }
        for index in 0..<Int(value.pointee.count) {
            if value.pointee.kind == BELFRY_MAP, items[index].key.checkedString == nil {
                return "has a member without a name"
            }
            if let problem = shapeProblem(items + index, depth: depth + 1) { return problem }
        }
        return nil
    }

    private func itemProblem(_ value: UnsafePointer<belfry_value>) -> String? {
        if let kinds = type.kinds, !kinds.contains(value.pointee.kind) {
            return "is \(kindName(value.pointee.kind)), not \(type.noun)"
        }
        switch type {
        case .choice: return choiceProblem(value.pointee.text.checkedString ?? "")
        case .object: return memberProblem(value)
        case .duration: return value.pointee.integer < 0 ? "is a negative duration, which no configuration has" : nil
        case .condition: return conditionProblem(Value(value.pointee))
        default: return nil
        }
    }

    private func conditionProblem(_ value: Value) -> String? {
        do throws(ConditionError) {
            _ = try Condition(value)
            return nil
        } catch {
            return "is no condition: "
                + error.problems.map { "it has \($0.found) in place of \($0.expected)" }.joined(separator: "; ")
        }
    }

    private func choiceProblem(_ text: String) -> String? {
        let choices = UnsafeBufferPointer(start: parameter.pointee.choices, count: countOfChoices).compactMap(
            \.checkedString)
        return choices.contains(text) ? nil : "'\(text)' is not among its choices \(listed(choices))"
    }

    private var countOfChoices: Int {
        parameter.pointee.choices == nil ? 0 : Int(min(parameter.pointee.choice_count, 4096))
    }

    private func memberProblem(_ value: UnsafePointer<belfry_value>) -> String? {
        guard let items = value.pointee.items, let members = parameter.pointee.members else { return nil }
        for index in 0..<Int(value.pointee.count) {
            let name = items[index].key.checkedString ?? ""
            let member = (0..<Int(min(parameter.pointee.member_count, 4096))).first {
                members[$0].name.checkedString == name
            }
            guard let member else { return "has the member '\(name)', which is not described" }
            guard let type = ParameterType(rawValue: members[member].type) else { continue }
            let check = DefaultCheck(parameter: members + member, type: type)
            if let problem = check.problem(with: items + index) {
                return "has the member '\(name)', which \(problem)"
            }
        }
        return nil
    }

    /// What the range is about: the number itself, a duration's ms, a text's length.
    private func measure(_ value: UnsafePointer<belfry_value>) -> Double? {
        switch value.pointee.kind {
        case BELFRY_INTEGER, BELFRY_DURATION: Double(value.pointee.integer)
        case BELFRY_NUMBER: value.pointee.number
        case BELFRY_TEXT: Double(value.pointee.text.checkedString?.count ?? 0)
        default: nil
        }
    }

    private func rangeProblem(_ measure: Double?) -> String? {
        guard let measure, type.hasRange || parameter.pointee.isList else { return nil }
        let range = ParameterRange(parameter)
        if let minimum = range.minimum, measure < minimum {
            return "\(plain(measure)) is below its minimum \(plain(minimum))"
        }
        if let maximum = range.maximum, measure > maximum {
            return "\(plain(measure)) is above its maximum \(plain(maximum))"
        }
        return nil
    }
}

private func kindName(_ kind: UInt32) -> String {
    let names = [
        "null", "a boolean", "a whole number", "a number", "text", "a list", "a mapping", "a duration",
        "an instant",
    ]
    return Int(kind) < names.count ? names[Int(kind)] : "of an unknown kind"
}
