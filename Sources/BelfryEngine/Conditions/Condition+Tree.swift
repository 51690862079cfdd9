import BelfryModel

extension Condition {
    // Objects and not indirect cases: to walk down from one that is kept counts no references.

    /// Something said about properties.
    final class Clause: Sendable {
        let content: Content

        enum Content {
            case all([Clause])
            /// Of no clauses it holds, as in GrowthBook: `$or: []` restricts nothing.
            case any([Clause])
            case not(Clause)
            case property(String, Test)
            /// One that is reached by several steps, or by none.
            case nested([String], Test)
        }

        init(_ content: Content) { self.content = content }
    }

    /// Something said about one value.
    final class Test: Sendable {
        let content: Content

        enum Content {
            case equals(Value)
            /// The same text but for case; the text here is lower case.
            case equalsFolded(String)
            case member(Members)
            case ordered(Relation, Bound)
            case version(Relation, Version)
            case matches(Pattern)
            case exists
            case kind(Kind)
            /// The value is a list, and this holds for its length.
            case size(Test)
            /// The value is a list, and this holds for at least one element.
            case someElement(Test)
            /// The value is a list, and each of these holds for at least one element.
            case someElementEach([Test])
            /// The value's own properties meet this.
            case properties(Clause)
            case all([Test])
            case not(Test)
        }

        init(_ content: Content) { self.content = content }

        /// The complement.
        static prefix func ! (test: Test) -> Test { Test(.not(test)) }
    }

    /// Where a value stands relative to another.
    enum Relation: Sendable {
        case less, lessOrEqual, equal, greaterOrEqual, greater
    }

    /// What `$type` distinguishes, in the words of JSON.
    enum Kind: String, Sendable, CaseIterable {
        case string, number, boolean, array, object, null
    }

    /// What may stand below a property.
    enum Operator: String, CaseIterable {
        case eq = "$eq", ne = "$ne", gt = "$gt", gte = "$gte", lt = "$lt", lte = "$lte"
        case `in` = "$in", nin = "$nin", ini = "$ini", nini = "$nini", all = "$all", alli = "$alli"
        case exists = "$exists", type = "$type", size = "$size", elemMatch = "$elemMatch", not = "$not"
        case regex = "$regex", regexi = "$regexi", notRegex = "$notRegex", notRegexi = "$notRegexi"
        case vgt = "$vgt", vgte = "$vgte", vlt = "$vlt", vlte = "$vlte", veq = "$veq", vne = "$vne"
    }

    /// What may stand beside properties.
    enum Combinator: String, CaseIterable {
        case or = "$or", nor = "$nor", and = "$and", not = "$not"
    }
}

extension Condition.Relation {
    /// Whether the relation is true of what `left` and `right` stand in.
    func holds<Ordered: Comparable>(_ left: Ordered, _ right: Ordered) -> Bool {
        switch self {
        case .less: left < right
        case .lessOrEqual: left <= right
        case .equal: left == right
        case .greaterOrEqual: left >= right
        case .greater: left > right
        }
    }
}
