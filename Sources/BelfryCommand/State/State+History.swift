import ArgumentParser
import BelfryEngine
import BelfryModel

extension State {
    struct History: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "history",
            abstract: "Show what was sent to one subject, newest last: notifications and geotriggers.",
            discussion: """
                Both lists go back as far as 'history: limit' allows, unless they were cleared.

                Examples:
                  belfry state history ana
                  belfry state history ana --since 2026-03-02T09:00:00Z --json
                """)

        @OptionGroup var who: SubjectArgument

        @Option(
            help: ArgumentHelp("Only what was sent at that time or later (RFC 3339).", valueName: "time"),
            transform: Arguments.instant)
        var since: Instant?

        @OptionGroup var options: StoreOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            let record = try options.withStore { try StoredSubject.record(of: who.subject, in: $0) }
            let (notifications, geotriggers) = record.history(since: since)
            if json.isWanted {
                return Console.print(json: [
                    "notifications": .list(notifications.map { .map($0.summary) }),
                    "geotriggers": .list(geotriggers.map { .map($0.summary) }),
                ])
            }
            print(notifications.isEmpty ? "no notifications" : Self.table(ofNotifications: notifications))
            print(geotriggers.isEmpty ? "no geotriggers" : "\n" + Self.table(ofGeotriggers: geotriggers))
        }

        private static func table(ofNotifications entries: [SubjectRecord.HistoryEntry]) -> String {
            var table = Table("notification", "title", "message", "data", "sent", "opened")
            for entry in entries {
                table.add(
                    entry.notification ?? "", entry.content.title.cell, entry.content.message.cell,
                    entry.content.data.cell, "\(entry.sentAt)", entry.openedAt?.description ?? "")
            }
            return table.text
        }

        private static func table(ofGeotriggers entries: [SubjectRecord.HistoryEntry]) -> String {
            var table = Table("geotrigger", "region", "data", "sent", "handled")
            for entry in entries {
                table.add(
                    entry.campaign, entry.region ?? "", entry.content.data.cell, "\(entry.sentAt)",
                    entry.openedAt?.description ?? "")
            }
            return table.text
        }
    }
}
