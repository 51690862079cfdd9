import BelfryModel

extension Condition.Parser {
    typealias Test = any Condition.Test

    /// What is said about one value: operators, or a value to be equal to.
    mutating func test(_ value: Value) -> Test {
        guard let fields = value.map else { return literal(value) }
        switch fields.shape {
        case .plain: return literal(value)
        case .operators: return operators(fields)
        case .mixed:
            report(
                "operators and other keys in one mapping", expected: "either operators or the value to be equal to",
                fix: "to compare with the whole mapping, write it below $eq")
            return Condition.Anything()
        }
    }

    private mutating func operators(_ fields: Fields) -> Test {
        let tests = fields.entries.map { entry in
            at(entry.key) { $0.operation(entry.key, entry.value) }
        }
        return Condition.all(tests)
    }

    private mutating func operation(_ name: String, _ operand: Value) -> Test {
        guard let known = Condition.Operator(rawValue: name) else { return unknown(name) }
        return switch known {
        case .eq: Condition.Equals(operand)
        case .ne: !Condition.Equals(operand)
        case .gt: ordered(.greater, operand)
        case .gte: ordered(.greaterOrEqual, operand)
        case .lt: ordered(.less, operand)
        case .lte: ordered(.lessOrEqual, operand)
        case .in: member(operand, foldingCase: false)
        case .nin: !member(operand, foldingCase: false)
        case .ini: member(operand, foldingCase: true)
        case .nini: !member(operand, foldingCase: true)
        case .all: Condition.SomeElement(list(of: "values", operand) { $0.test($1) })
        case .alli: Condition.SomeElement(list(of: "values", operand) { $0.foldedTest($1) })
        case .exists: exists(operand)
        case .type: kind(operand)
        case .size: size(operand)
        case .elemMatch: Condition.SomeElement([inElement { $0.element(operand) }])
        case .not: !test(operand)
        case .regex: matches(operand, ignoringCase: false)
        case .regexi: matches(operand, ignoringCase: true)
        case .notRegex: !matches(operand, ignoringCase: false)
        case .notRegexi: !matches(operand, ignoringCase: true)
        case .vgt: version(.greater, operand)
        case .vgte: version(.greaterOrEqual, operand)
        case .vlt: version(.less, operand)
        case .vlte: version(.lessOrEqual, operand)
        case .veq: version(.equal, operand)
        case .vne: !version(.equal, operand)
        }
    }

    private mutating func unknown(_ name: String) -> Test {
        if Condition.Combinator(rawValue: name) != nil {
            report(
                "the operator '\(name)' below a property", expected: "an operator on a single value",
                fix: "put it beside the properties, as { \(name): [ { property: … } ] }")
        } else {
            reportUnknown("operator", name, among: Condition.Operator.allCases.map(\.rawValue))
        }
        return Condition.Anything()
    }
}

// The operands, each kind with what it has to be.
extension Condition.Parser {
    private mutating func ordered(_ relation: Condition.Relation, _ operand: Value) -> Test {
        guard let bound = Condition.Bound(operand) else {
            return wrong(operand, expected: "a number or text to compare with")
        }
        return Condition.IsOrdered(relation, bound)
    }

    private mutating func version(_ relation: Condition.Relation, _ operand: Value) -> Test {
        guard let version = Condition.Version(operand) else {
            return wrong(operand, expected: "a version as text, as \"1.2.3\"")
        }
        return Condition.IsVersion(relation, version)
    }

    private mutating func member(_ operand: Value, foldingCase: Bool) -> Test {
        Condition.IsMember(Condition.Members(list(of: "values", operand) { $1 }, foldingCase: foldingCase))
    }

    private mutating func foldedTest(_ value: Value) -> Test {
        if let text = value.text { Condition.EqualsFolded(text) } else { test(value) }
    }

    private mutating func exists(_ operand: Value) -> Test {
        switch operand.bool {
        case true?: Condition.Exists()
        case false?: !Condition.Exists()
        case nil: wrong(operand, expected: "true or false")
        }
    }

    private mutating func kind(_ operand: Value) -> Test {
        let known = Condition.Kind.allCases.map(\.rawValue)
        guard let name = operand.text else {
            return wrong(operand, expected: "one of \(known.joined(separator: ", "))")
        }
        guard let kind = Condition.Kind(rawValue: name) else {
            reportUnknown("type", name, among: known)
            return Condition.Anything()
        }
        return Condition.IsKind(kind)
    }

    private mutating func size(_ operand: Value) -> Test {
        switch operand {
        case .integer, .number: Condition.Size(Condition.Equals(operand))
        case .map(let fields) where fields.shape == .operators: Condition.Size(operators(fields))
        default: wrong(operand, expected: "a whole number, or operators on it")
        }
    }

    /// Operators are about the element itself, anything else is about its properties.
    private mutating func element(_ operand: Value) -> Test {
        guard let fields = operand.map else {
            return wrong(operand, expected: "operators, or a condition on the element's properties")
        }
        // Combinators other than $not, which is an operator too, only make sense for properties.
        let combines = fields.entries.contains { Condition.Combinator(rawValue: $0.key) != nil && $0.key != "$not" }
        return fields.shape == .operators && !combines ? operators(fields) : Condition.Properties(clause(operand))
    }

    private mutating func matches(_ operand: Value, ignoringCase: Bool) -> Test {
        guard let text = operand.text else { return wrong(operand, expected: "a regular expression as text") }
        do {
            return Condition.Matches(try Condition.Pattern(text, ignoringCase: ignoringCase))
        } catch {
            report("the pattern '\(text)'", expected: "a regular expression that compiles (\(error.reason))")
            return Condition.Anything()
        }
    }

    private mutating func wrong(_ operand: Value, expected: String) -> Test {
        report(operand.kindName, expected: expected)
        return Condition.Anything()
    }
}

// A value to be equal to.
extension Condition.Parser {
    private mutating func literal(_ value: Value) -> Test {
        refuseOperators(in: value)
        return Condition.Equals(value)
    }

    /// GrowthBook compares a mapping as a whole, whatever is in it. An operator in there would never do anything,
    /// so it is taken for a mistake; `$eq` still says that it is meant.
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
