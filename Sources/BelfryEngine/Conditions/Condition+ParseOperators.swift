import BelfryModel

extension Condition.Parser {
    /// What is said about one value: operators, or a value to be equal to.
    mutating func test(_ value: Value) -> Condition.Test {
        guard let fields = value.map else { return literal(value) }
        switch fields.shape {
        case .plain: return literal(value)
        case .operators: return operators(fields)
        case .mixed:
            report(
                "operators and other keys in one mapping", expected: "either operators or the value to be equal to",
                fix: "to compare with the whole mapping, write it below $eq")
            return .all([])
        }
    }

    private mutating func operators(_ fields: Fields) -> Condition.Test {
        let tests = fields.entries.map { entry in
            at(entry.key) { $0.operation(entry.key, entry.value) }
        }
        return tests.count == 1 ? tests[0] : .all(tests)
    }

    private mutating func operation(_ name: String, _ operand: Value) -> Condition.Test {
        guard let known = Condition.Operator(rawValue: name) else { return unknown(name) }
        return switch known {
        case .eq: .equals(operand)
        case .ne: .not(.equals(operand))
        case .gt: ordered(.greater, operand)
        case .gte: ordered(.greaterOrEqual, operand)
        case .lt: ordered(.less, operand)
        case .lte: ordered(.lessOrEqual, operand)
        case .in: member(operand, foldingCase: false)
        case .nin: .not(member(operand, foldingCase: false))
        case .ini: member(operand, foldingCase: true)
        case .nini: .not(member(operand, foldingCase: true))
        case .all: .someElementEach(list(of: "values", operand) { $0.test($1) })
        case .alli: .someElementEach(list(of: "values", operand) { $0.foldedTest($1) })
        case .exists: exists(operand)
        case .type: kind(operand)
        case .size: size(operand)
        case .elemMatch: .someElement(inElement { $0.element(operand) })
        case .not: .not(test(operand))
        case .regex: matches(operand, ignoringCase: false)
        case .regexi: matches(operand, ignoringCase: true)
        case .notRegex: .not(matches(operand, ignoringCase: false))
        case .notRegexi: .not(matches(operand, ignoringCase: true))
        case .vgt: version(.greater, operand)
        case .vgte: version(.greaterOrEqual, operand)
        case .vlt: version(.less, operand)
        case .vlte: version(.lessOrEqual, operand)
        case .veq: version(.equal, operand)
        case .vne: .not(version(.equal, operand))
        }
    }

    private mutating func unknown(_ name: String) -> Condition.Test {
        if Condition.Combinator(rawValue: name) != nil {
            report(
                "the operator '\(name)' below a property", expected: "an operator on a single value",
                fix: "put it beside the properties, as { \(name): [ { property: … } ] }")
        } else {
            reportUnknown("operator", name, among: Condition.Operator.allCases.map(\.rawValue))
        }
        return .all([])
    }
}

// The operands, each kind with what it has to be.
extension Condition.Parser {
    private mutating func ordered(_ relation: Condition.Relation, _ operand: Value) -> Condition.Test {
        guard let bound = Condition.Bound(operand) else {
            return wrong(operand, expected: "a number or text to compare with")
        }
        return .ordered(relation, bound)
    }

    private mutating func version(_ relation: Condition.Relation, _ operand: Value) -> Condition.Test {
        guard let version = Condition.Version(operand) else {
            return wrong(operand, expected: "a version as text, as \"1.2.3\"")
        }
        return .version(relation, version)
    }

    private mutating func member(_ operand: Value, foldingCase: Bool) -> Condition.Test {
        .member(Condition.Members(list(of: "values", operand) { $1 }, foldingCase: foldingCase))
    }

    private mutating func foldedTest(_ value: Value) -> Condition.Test {
        if let text = value.text { .equalsFolded(text.lowercased()) } else { test(value) }
    }

    private mutating func exists(_ operand: Value) -> Condition.Test {
        switch operand.bool {
        case true?: .exists
        case false?: .not(.exists)
        case nil: wrong(operand, expected: "true or false")
        }
    }

    private mutating func kind(_ operand: Value) -> Condition.Test {
        let known = Condition.Kind.allCases.map(\.rawValue)
        guard let name = operand.text else {
            return wrong(operand, expected: "one of \(known.joined(separator: ", "))")
        }
        guard let kind = Condition.Kind(rawValue: name) else {
            reportUnknown("type", name, among: known)
            return .all([])
        }
        return .kind(kind)
    }

    private mutating func size(_ operand: Value) -> Condition.Test {
        switch operand {
        case .integer, .number: .size(.equals(operand))
        case .map(let fields) where fields.shape == .operators: .size(operators(fields))
        default: wrong(operand, expected: "a whole number, or operators on it")
        }
    }

    /// Operators are about the element itself, anything else is about its properties.
    private mutating func element(_ operand: Value) -> Condition.Test {
        guard let fields = operand.map else {
            return wrong(operand, expected: "operators, or a condition on the element's properties")
        }
        // Combinators other than $not, which is an operator too, only make sense for properties.
        let combines = fields.entries.contains { Condition.Combinator(rawValue: $0.key) != nil && $0.key != "$not" }
        return fields.shape == .operators && !combines ? operators(fields) : .properties(clause(operand))
    }

    private mutating func matches(_ operand: Value, ignoringCase: Bool) -> Condition.Test {
        guard let text = operand.text else { return wrong(operand, expected: "a regular expression as text") }
        do {
            return .matches(try Condition.Pattern(text, ignoringCase: ignoringCase))
        } catch {
            report("the pattern '\(text)'", expected: "a regular expression that compiles (\(error.reason))")
            return .all([])
        }
    }

    private mutating func wrong(_ operand: Value, expected: String) -> Condition.Test {
        report(operand.kindName, expected: expected)
        return .all([])
    }
}

// A value to be equal to.
extension Condition.Parser {
    private mutating func literal(_ value: Value) -> Condition.Test {
        refuseOperators(in: value)
        return .equals(value)
    }

    /// GrowthBook compares a mapping as a whole, whatever is in it. An operator in there would never do anything,
    /// so it is a slip of the pen; who means it can still say so with `$eq`.
    private mutating func refuseOperators(in value: Value) {
        switch value {
        case .list(let list):
            for (index, item) in list.enumerated() { at(String(index)) { $0.refuseOperators(in: item) } }
        case .map(let fields):
            for entry in fields.entries { at(entry.key) { $0.refuseOperator(entry.key, entry.value) } }
        default: break
        }
    }

    private mutating func refuseOperator(_ key: String, _ value: Value) {
        guard Condition.Operator(rawValue: key) != nil || Condition.Combinator(rawValue: key) != nil else {
            return refuseOperators(in: value)
        }
        report(
            "the operator '\(key)' inside a value that is compared as a whole", expected: "a plain value",
            fix: "name an inner property by its dotted path, as 'address.city', or compare literally with $eq")
    }
}
