import BelfryEngine
import BelfryModel

extension Workload {
    /// A segment of three properties, all looked at.
    static let conditions = [
        Workload("condition", operations: 2_000_000) { _ in
            let condition = try Condition([
                "tier": ["$in": ["gold", "silver"]], "yearOfBirth": ["$gte": 1970, "$lt": 1995],
                "country": ["$ne": "pl"],
            ])
            let properties = Workbench.attributes
            return Work { count in
                for _ in 0..<count { use(condition.holds(for: properties)) }
            }
        }
    ]
}
