import BelfryModel

extension Condition.Clause {
    func holds(for properties: some ConditionProperties) -> Bool {
        switch content {
        case .all(let clauses): clauses.allSatisfy { $0.holds(for: properties) }
        case .any(let clauses): clauses.isEmpty || clauses.contains { $0.holds(for: properties) }
        case .not(let clause): !clause.holds(for: properties)
        case .property(let name, let test): test.holds(for: properties.value(named: name) ?? .null)
        case .nested(let path, let test): test.holds(for: properties.value(at: path) ?? .null)
        }
    }
}

extension Condition.Test {
    /// A missing property comes here as null.
    func holds(for value: Value) -> Bool {
        switch content {
        case .equals(let other): value.isSame(as: other)
        case .equalsFolded(let lowercased): value.text?.lowercased() == lowercased
        case .member(let members): members.contains(value)
        case .ordered(let relation, let bound): bound.holds(relation, for: value)
        case .version(let relation, let version): version.holds(relation, for: value)
        // Only text has something to match: a number is not turned into its digits.
        case .matches(let pattern): value.text.map(pattern.matches) ?? false
        case .exists: !value.isNull
        case .kind(let kind): kind == Condition.Kind(of: value)
        case .size(let test): value.list.map { test.holds(for: .integer(Int64($0.count))) } ?? false
        case .someElement(let test): value.list?.contains(where: test.holds) ?? false
        case .someElementEach(let tests): value.list.map { Self.each(tests, holdsIn: $0) } ?? false
        case .properties(let clause): clause.holds(for: value)
        case .all(let tests): tests.allSatisfy { $0.holds(for: value) }
        case .not(let test): !test.holds(for: value)
        }
    }

    private static func each(_ tests: [Condition.Test], holdsIn list: [Value]) -> Bool {
        tests.allSatisfy { list.contains(where: $0.holds) }
    }
}

extension Condition.Kind {
    init(of value: Value) {
        self =
            switch value {
            case .null: .null
            case .bool: .boolean
            case .integer, .number: .number
            case .text: .string
            case .list: .array
            case .map: .object
            }
    }
}
