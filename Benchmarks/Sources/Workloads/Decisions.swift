import BelfryEngine
import BelfryModel

extension Workload {
    /// One decision over a warm table. The C program decides the same: `limit loop`.
    static let decisions = [
        Workload("decision/created", operations: 300_000) { isCount in
            Work(try crowd(.created, subjects: isCount ? 200 : 100_000).run)
        },
        Workload("decision/suppressed", operations: 300_000) { isCount in
            Work(try crowd(.suppressed, subjects: isCount ? 200 : 100_000).run)
        },
    ]

    /// The same decision where there is more of everything.
    static let growth =
        [
            Workload("subjects/1000", operations: 300_000) { isCount in
                Work(try crowd(.suppressed, subjects: isCount ? 200 : 1000).run)
            }
        ]
        + [100, 10_000].map { campaigns in
            Workload("campaigns/\(campaigns)", operations: 300_000) { isCount in
                Work(try crowd(.suppressed, subjects: isCount ? 200 : 10_000, campaigns: campaigns).run)
            }
        }

    enum Outcome {
        case created, suppressed
    }

    /// Each subject had five notifications: that is the cap, so that a second request is denied for two reasons. A day later both are
    /// forgotten.
    static func crowd(_ outcome: Outcome, subjects: Int, campaigns: Int = 50) throws -> Crowd {
        let catalog = try Workbench.catalog(chain: Workbench.fourPlugins, campaigns: campaigns)
        let step = outcome == .created ? Duration.days(1) : Duration(milliseconds: 1)
        let crowd = try Crowd(catalog, subjects: subjects, step: step) { "campaign-\($0 % campaigns)" }
        for other in [4, 3, 2, 1, 0] {
            try crowd.ask { "campaign-\((Int($0.dropFirst(9))! + other) % campaigns)" }
        }
        // Until all that grows has grown.
        try crowd.run(outcome == .created ? max(4 * subjects, 60_000) : subjects)
        return crowd
    }
}
