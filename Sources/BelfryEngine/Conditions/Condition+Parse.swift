import BelfryModel

extension Condition {
    /// Reads a condition, and notes everything that is wrong on the way.
    ///
    /// Where something is wrong, what it returns is only a placeholder.
    struct Parser {
        typealias Clause = Condition.Clause

        var problems: [ConfigurationProblem] = []
        var paths: [[String]] = []
        /// The keys that lead to where we are.
        private var place: [String] = []
        /// How many `$elemMatch` we are in; properties there are those of an element.
        private var elementDepth = 0

        /// A mapping from properties to what is said about them, and of combinators.
        mutating func clause(_ value: Value) -> Clause {
            guard let fields = value.map else {
                report(value.kindName, expected: "a mapping from properties to values or operators")
                return Clause.all([])
            }
            let clauses = fields.entries.map { entry in
                at(entry.key) { $0.member(entry.key, entry.value) }
            }
            return Clause.all(clauses)
        }

        /// Goes one step down for the time of `body`.
        mutating func at<Result>(_ step: String, _ body: (inout Parser) -> Result) -> Result {
            place.append(step)
            defer { place.removeLast() }
            return body(&self)
        }

        mutating func inElement<Result>(_ body: (inout Parser) -> Result) -> Result {
            elementDepth += 1
            defer { elementDepth -= 1 }
            return body(&self)
        }

        mutating func report(_ found: String, expected: String, fix: String? = nil) {
            problems.append(ConfigurationProblem(path: place, found: found, expected: expected, fix: fix))
        }

        mutating func reportUnknown(_ what: String, _ name: String, among known: [String]) {
            problems.append(.unknown(what, name, among: known, at: place))
        }
    }
}

extension Condition.Parser {
    private mutating func member(_ key: String, _ value: Value) -> Clause {
        if let combinator = Condition.Combinator(rawValue: key) { return combination(combinator, value) }
        guard !key.isOperatorLike || isProperty(key, value) else { return misplaced(key) }
        let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if elementDepth == 0, !paths.contains(path) { paths.append(path) }
        return Clause(path, test(value))
    }

    private mutating func combination(_ combinator: Condition.Combinator, _ value: Value) -> Clause {
        switch combinator {
        case .or: Clause.any(clauses(value))
        case .nor: !Clause.any(clauses(value))
        case .and: Clause.all(clauses(value))
        case .not: !clause(value)
        }
    }

    private mutating func clauses(_ value: Value) -> [Clause] {
        list(of: "conditions", value) { $0.clause($1) }
    }

    /// The items of an operand that has to be a list, each read at its own place.
    mutating func list<Item>(
        of what: String, _ value: Value, _ read: (inout Self, Value) -> Item
    ) -> [Item] {
        guard let list = value.list else {
            report(value.kindName, expected: "a list of \(what)")
            return []
        }
        return list.enumerated().map { index, item in
            at(String(index)) { read(&$0, item) }
        }
    }

    /// GrowthBook knows attributes that begin with a dollar, as `$groups`. We take such a key for one only where
    /// nothing else makes sense: operators stand below it, and it is no operator itself.
    private func isProperty(_ key: String, _ value: Value) -> Bool {
        Condition.Operator(rawValue: key) == nil && value.map?.shape == .operators
    }

    private mutating func misplaced(_ key: String) -> Clause {
        if Condition.Operator(rawValue: key) != nil {
            report(
                "the operator '\(key)' where a property stands", expected: "a property, $or, $nor, $and or $not",
                fix: "write it below the property it is about, as { age: { \(key): … } }")
        } else {
            reportUnknown("operator", key, among: Condition.Combinator.allCases.map(\.rawValue))
        }
        return Clause.all([])
    }
}

extension Fields {
    /// What a mapping is by its keys.
    enum Shape {
        case operators, plain, mixed
    }

    /// An empty mapping is a plain one.
    var shape: Shape {
        let operators = entries.count { $0.key.isOperatorLike }
        return operators == 0 ? .plain : operators == count ? .operators : .mixed
    }
}

extension String {
    var isOperatorLike: Bool { utf8.first == UInt8(ascii: "$") }
}
