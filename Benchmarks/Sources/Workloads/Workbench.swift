import BelfryCore
import BelfryEngine
import BelfryModel
import Foundation

/// Catalogs with plugins that were loaded as a run loads them.
enum Workbench {
    /// A catalog for a chain, in YAML, with campaigns that a request asks for.
    static func catalog(
        chain: [String], campaigns: Int = 50, change: (inout Configuration) -> Void = { _ in }
    ) throws -> Catalog {
        let path = FileManager.default.temporaryDirectory.appending(path: "belfry-measure-\(getpid()).yaml").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try "app: load\nhistory: { limit: 4 }\nchain:\n\(chain.map { "  - \($0)\n" }.joined())"
            .write(toFile: path, atomically: true, encoding: .utf8)
        let loaded = try Workspace(path: path, executable: scanner) { message in
            FileHandle.standardError.write(Data("\(message.text)\n".utf8))
        }.load()
        var configuration = loaded.catalog.configuration
        configuration.campaigns = (0..<campaigns).map(campaign)
        change(&configuration)
        return try Catalog(configuration, providers: loaded.providers, services: loaded.catalog.services)
    }

    /// The program that knows how to scan a plugin, beside this one.
    private static var scanner: String {
        (Workspace.executable as NSString).deletingLastPathComponent + "/Measure"
    }

    private static func campaign(_ number: Int) -> Configuration.Campaign {
        var campaign = Configuration.Campaign(id: "campaign-\(number)")
        campaign.title = "Campaign \(number)"
        campaign.message = "Something for you"
        campaign.triggers = [Configuration.Trigger(id: "1", on: .request)]
        return campaign
    }

    static let cooldown = "{ strategy: cooldown, per: campaign, parameters: { period: 6h } }"

    /// The four checks that a C program is compared by.
    static let fourPlugins = [
        "{ strategy: segmentation, parameters: { tier: { $in: [gold, silver] } } }",
        "{ strategy: schedule, parameters: { periods: [ { hours: [\"07:00-23:00\"] } ] } }",
        cooldown,
        "{ strategy: max-per-period, parameters: { max: 5, period: 1d } }",
    ]

    static let attributes: Fields = Fields([
        ("tier", "gold"), ("yearOfBirth", 1980), ("premiumMember", true), ("country", "nl"),
    ])
}

/// The same numbers in every process (Knuth's MMIX generator).
struct Sequence64: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 31
    }
}
