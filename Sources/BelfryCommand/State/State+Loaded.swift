import ArgumentParser
import BelfryCore
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
            let (workspace, source) = try options.options.source()
            let bytes = try options.withStore { try StoredSubject.bytes(of: who.subject, in: $0) }
            let loaded = try source.answer(json.isWanted ? .loaded : .watched, about: who.subject, bytes)
            if json.isWanted { return Console.print(json: loaded) }
            let items = (loaded.list ?? []).compactMap(\.map)
            guard !items.isEmpty else {
                let record = try SubjectRecord(of: who.subject, bytes)
                return print(Self.emptiness(of: record, workspace.configuration))
            }
            var table = Table("region", "distance", "on", "campaign", "trigger", "kind", "message", "data")
            for one in items {
                func text(_ key: String) -> String { one[key]?.text ?? "" }
                table.add(
                    text("region"), one["distance"]?.number.map { String(format: "%.0f m", $0) } ?? "beacon",
                    text("on"), text("campaign"), text("trigger"), text("kind"), one["message"].cell, one["data"].cell)
            }
            print(table.text)
        }

        /// Why nothing is.
        private static func emptiness(of record: borrowing SubjectRecord, _ configuration: Configuration) -> String {
            let reason =
                if !(record.isEnabled ?? configuration.enableOnFirstRun) {
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
