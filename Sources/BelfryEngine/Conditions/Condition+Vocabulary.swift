extension Condition {
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
