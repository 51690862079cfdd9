import BelfryEngine
import BelfryModel

extension Workload {
    /// A request that a cooldown refuses, and plugins behind it that do nothing: every entry more is two hooks more, one that asks
    /// and one that tells.
    static let hooks = ["noop-c", "noop-swift"].flatMap { strategy in
        [1, 5, 9].map { entries in
            Workload("chain/\(strategy)/\(entries)", operations: 300_000) { isCount in
                let chain = (1...entries).map { "{ strategy: \(strategy), id: entry-\($0) }" }
                let catalog = try Workbench.catalog(chain: [Workbench.cooldown] + chain)
                let subjects = isCount ? 200 : 1000
                let crowd = try Crowd(catalog, subjects: subjects, step: Duration(milliseconds: 1)) {
                    "campaign-\($0 % 50)"
                }
                try crowd.run(8 * subjects)
                return Work(crowd.run)
            }
        }
    }
}
