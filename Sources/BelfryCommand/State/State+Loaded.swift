import ArgumentParser
import BelfryEngine
import BelfryModel
import Foundation

extension State {
    struct Loaded: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "loaded",
            abstract:
                "Show what is watched for one subject now, nearest first: triggers of published campaigns at regions.",
            discussion: """
                Nothing is watched for a subject who is disabled, or whose position is unknown. Strategies are not asked.

                Examples:
                  belfry state loaded ana
                  belfry state loaded ana --config shop.yaml --json
                """)

        @OptionGroup var who: SubjectArgument
        @OptionGroup var options: StoreOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            let catalog = try options.options.loaded().loaded.catalog
            let record = try options.withStore { try StoredSubject.record(of: who.subject, in: $0) }
            let loaded = catalog.loaded(for: record)
            if json.isWanted { return Console.print(json: .list(loaded.map(\.value))) }
            guard !loaded.isEmpty else { return print(Self.emptiness(of: record, catalog)) }
            var table = Table("region", "distance", "on", "campaign", "trigger", "kind", "message", "data")
            for one in loaded {
                table.add(
                    one.region, one.distance.map { String(format: "%.0f m", $0) } ?? "beacon", one.on, one.campaign,
                    one.trigger, one.kind.rawValue, one.message.cell, one.data.cell)
            }
            print(table.text)
        }

        /// Why nothing is.
        private static func emptiness(of record: borrowing SubjectRecord, _ catalog: Catalog) -> String {
            let reason =
                if !catalog.isEnabled(record) {
                    "notifications are switched off for this subject"
                } else if record.position == nil {
                    "the position of this subject is unknown"
                } else {
                    "no published campaign waits at a region"
                }
            return "nothing is watched: \(reason)"
        }
    }
}
