import BelfryPlugin

extension Fields {
    /// The properties that a condition reads, in its order. Those of elements, below `$elemMatch`, are not among them.
    ///
    /// The host has compiled the condition: what stands below these four is what belongs there.
    var properties: [String] {
        entries.flatMap { entry -> [String] in
            switch (entry.key, entry.value) {
            case ("$or", .list(let conditions)), ("$nor", .list(let conditions)), ("$and", .list(let conditions)):
                conditions.flatMap { $0.map?.properties ?? [] }
            case ("$not", .map(let condition)): condition.properties
            default: [entry.key]
            }
        }
    }
}
