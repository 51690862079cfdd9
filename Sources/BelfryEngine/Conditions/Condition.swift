import BelfryModel

/// A condition on properties, in the GrowthBook / MongoDB language of docs/conditions.md: `{ age: { $gte: 18 } }`.
///
/// It is checked and compiled once. Holding it against properties then is pure, fails never, and may be done from
/// any thread. How it works, in the order of the files:
///
/// - `Condition+Parse` reads a mapping into a tree of clauses, `Condition+ParseOperators` what stands below a property.
/// - `Condition+Clause` holds the tree against properties, `Condition+Test` what is said of one against its value; a missing one
///   is null.
/// - `Condition+Equality`, `Condition+Order`, `Condition+Version` and `Condition+Pattern` say when two values are the
///   same, which comes first, and the like. Only ordering converts between types.
///
/// Every negation (`$not`, `$ne`, `$nin`, …) is the complement of what it negates, so it holds for a missing property.
public struct Condition: Sendable {
    let root: Clause

    /// The properties it reads, each split at its dots, in the order of their first mention.
    ///
    /// Those below `$elemMatch` belong to the elements of a list and are not among them.
    public let paths: [[String]]

    /// Compiles a condition; `{}` holds for everything.
    ///
    /// - Throws: everything that is wrong with it, at once.
    public init(_ value: Value) throws(ConditionError) {
        var parser = Parser()
        let root = parser.clause(value)
        guard parser.problems.isEmpty else { throw ConditionError(problems: parser.problems) }
        self.root = root
        self.paths = parser.paths
    }

    /// Whether the condition is met by the properties of a mapping.
    public func holds(for properties: Fields) -> Bool { root.holds(for: properties) }

    /// Whether the condition is met.
    func holds(for properties: some ConditionProperties) -> Bool {
        root.holds(for: properties)
    }
}

/// What a condition is held against.
protocol ConditionProperties {
    /// The property that a dotted path names; nil when there is none, which is the same as null.
    ///
    /// The path has been split at its dots, and is never empty.
    func value(at path: [String]) -> Value?

    /// The same for a path of one step, by far the most frequent one.
    func value(named name: String) -> Value?

    /// Whether a test holds for the property of that path of one step. A missing one is null.
    func passes(_ test: any Condition.Test, named name: UTF8Text) -> Bool

    /// The property that a path such as `region.fields.shopName` names, where `name` is its last step in lower case: names of region
    /// fields are case-insensitive. For what has no region it is a path as any other.
    func field(named name: String, at path: [String]) -> Value?
}

extension ConditionProperties {
    func value(named name: String) -> Value? { value(at: [name]) }

    func field(named name: String, at path: [String]) -> Value? { value(at: path) }

    func passes(_ test: any Condition.Test, named name: UTF8Text) -> Bool {
        test.holds(for: value(named: name.text) ?? .null)
    }
}

/// Why a value is no condition.
public struct ConditionError: Error, Sendable, Hashable {
    /// At least one, in the order of the text. Their paths begin inside the condition.
    public let problems: [ConfigurationProblem]
}
