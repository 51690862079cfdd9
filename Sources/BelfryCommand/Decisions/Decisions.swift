import ArgumentParser
import BelfryModel
import BelfryRuntime
import Foundation

struct Decisions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decisions",
        abstract: "Read decisions again, from the journal of a store, or of a service that runs.",
        discussion: """
            The journal keeps what has left for as long as 'journal: { keep: 7d }' says, and at least its last segment.

            Examples:
              belfry decisions list --subject ana
              belfry decisions list --type notification.created --limit 100 --json
              belfry decisions show ana:7
              belfry decisions tail --follow
              belfry decisions list --url http://127.0.0.1:8787 --campaign sale
            """,
        subcommands: [List.self, Show.self, Tail.self], defaultSubcommand: List.self)

    /// Which decisions.
    struct Filter: ParsableArguments {
        @OptionGroup var store: State.StoreOptions
        @OptionGroup var service: ServiceOptions

        @Option(help: "Only those about this subject.")
        var subject: String?

        @Option(help: "Only those of this campaign.")
        var campaign: String?

        @Option(help: ArgumentHelp("Only those of this type, such as notification.created.", valueName: "type"))
        var type: String?

        func validate() throws {
            guard let type, Decision.Kind(rawValue: type) == nil else { return }
            throw ValidationError(
                "--type is '\(type)'; expected one of \(Decision.Kind.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }

        /// Nil: the journal of the store is read.
        var served: ServedDecisions? { service.client.map { ServedDecisions(client: $0, filter: self) } }

        /// The type is what one of the sides has decided.
        func takes(difference: Fields) -> Bool {
            let types = ["a", "b"].map { difference[$0]?.map?["type"]?.text }
            return (subject.map { difference["subject"]?.text?.isSameText(as: $0) == true } ?? true)
                && (campaign == nil || difference["campaign"]?.text == campaign)
                && (type == nil || types.contains(type))
        }

        func takes(_ item: DecisionFeed.Item) -> Bool {
            DecisionFilter(subject: subject, campaign: campaign, type: type).takes(item)
        }
    }
}

/// Where a list begins: behind a cursor, or behind a decision.
private struct Place {
    let text: String

    /// - Throws: if it is neither.
    func check() throws {
        guard DecisionCursor(text) == nil, !text.contains(":") else { return }
        throw ValidationError("the cursor '\(text)' is none\n" + Self.advice)
    }

    /// As what gives decisions knows it.
    ///
    /// - Parameter find: the cursor behind a decision; nil if it is not there.
    func cursor(_ find: (_ id: String) throws -> String?) throws -> String {
        if DecisionCursor(text) != nil { return text }
        if let cursor = try find(text) { return cursor }
        throw CommandFailure(status: .wrongUse, message: "there is no decision '\(text)'\n" + Self.advice)
    }

    /// Whether decisions behind it may be gone: those in the journal begin later, or are of another journal.
    func check(_ cursor: DecisionCursor, in feed: DecisionFeed) throws {
        guard let beginning = feed.beginning else { return }
        if cursor.series == beginning.series, cursor.number >= beginning.number { return }
        throw CommandFailure(
            status: .failed,
            message: """
                decisions behind '\(text)' are not kept any more
                  why: \(cursor.series == beginning.series ? "the journal begins later" : "the journal is another one now")
                  fix: leave --after out to begin with the oldest decision that is kept
                """)
    }

    /// No journal with so few decisions has given it.
    var isAhead: CommandFailure {
        CommandFailure(status: .wrongUse, message: "this store has not come to the cursor '\(text)'\n" + Self.advice)
    }

    private static let advice = """
          why: cursors are what 'belfry decisions list --json' gives as next, of the same store; ids are those of its decisions
          fix: leave --after out to begin with the oldest decision that is kept
        """
}

extension Decisions {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Print decisions, the oldest first: a line of JSON each, as they have left.",
            discussion: """
                With --json, one page: decisions, and as next the cursor for --after. No decision is skipped while a run appends.

                Examples:
                  belfry decisions list --campaign sale
                  belfry decisions list --json --limit 1000
                  belfry decisions list --json --after d3e8-mg2k71c0
                  belfry decisions list --after ana:7
                  belfry decisions list --shadow --campaign sale
                """)

        @OptionGroup var filter: Filter

        @Option(help: ArgumentHelp("Begin behind that place: a cursor, or the id of a decision.", valueName: "cursor"))
        var after: String?

        @Option(help: "At most so many, 1 to 10000.")
        var limit: Int?

        @Flag(help: "What the shadow of a run or a service has decided otherwise, in place of decisions.")
        var shadow = false

        @OptionGroup var json: JSONOption

        func validate() throws {
            if shadow, after != nil {
                throw ValidationError("--shadow and --after do not go together: the last differences are listed")
            }
            if let after { try Place(text: after).check() }
            if let limit, !(1...10_000).contains(limit) {
                throw ValidationError("--limit is \(limit); expected 1 to 10000")
            }
        }

        func run() throws {
            if shadow { return try showShadow() }
            if let served = filter.served { return try show(served) }
            let location = try filter.store.location
            let place = after.map { Place(text: $0) }
            let begin = try place?.cursor { id in
                try DecisionFeed(of: location).find(id)?.cursor.text
            }
            // It was seen to be one.
            var cursor = begin.flatMap { DecisionCursor($0) }
            let feed = try DecisionFeed(of: location, after: cursor?.number ?? 0)
            let limit = limit ?? (json.isWanted ? 1000 : .max)
            var lines: [[UInt8]] = []
            reading: while true {
                let items = try feed.next()
                if let place, let cursor { try place.check(cursor, in: feed) }
                if items.isEmpty { break }
                for item in items {
                    if lines.count == limit { break reading }
                    cursor = item.cursor
                    guard filter.takes(item) else { continue }
                    lines.append(item.line)
                    if !json.isWanted { print(String(decoding: item.line, as: UTF8.self)) }
                }
            }
            if let place, let cursor, cursor.number > feed.count { throw place.isAhead }
            if !json.isWanted { return }
            let decisions = lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
            print(#"{"decisions":[\#(decisions)],"next":"\#((cursor ?? feed.beginning ?? Self.none).text)"}"#)
        }

        /// Of a journal that nothing is in yet.
        private static let none = DecisionCursor(number: 0, series: "0")

        private func showShadow() throws {
            let limit = limit ?? 1000
            let report =
                try filter.service.client.map { try $0.send("GET", "/v1/shadow", [("limit", String(limit))]) }
                ?? ShadowReport(of: filter.store.location, last: limit).value
            var fields = report.map ?? [:]
            let differences = (fields["differences"]?.list ?? []).filter { filter.takes(difference: $0.map ?? [:]) }
            if !json.isWanted { return try ServedDecisions.show(differences) }
            fields["differences"] = .list(differences)
            Console.print(json: .map(fields))
        }

        private func show(_ served: ServedDecisions) throws {
            let after = try after.map { try Place(text: $0).cursor(served.cursor(of:)) }
            if json.isWanted {
                return Console.print(json: try served.page(after: after, limit: limit ?? 1000).value)
            }
            var rest = limit ?? .max
            _ = try served.forEachPage(after: after) { decisions in
                try ServedDecisions.show(Array(decisions.prefix(rest)))
                rest -= min(rest, decisions.count)
                return rest > 0
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Print one decision, the signal that caused it, and the configuration and plugins that decided.",
            discussion: """
                Examples:
                  belfry decisions show ana:7
                  belfry decisions show ana:7 --store sqlite:belfry.db
                """)

        @Argument(help: "The id of the decision: the subject, a colon and a number.")
        var id: String

        @OptionGroup var store: State.StoreOptions
        @OptionGroup var service: ServiceOptions
        @OptionGroup var json: AlwaysJSONOption

        func run() throws {
            if let client = service.client {
                return Console.print(json: try client.send("GET", "/v1/decisions/" + ServiceClient.encoded(id)))
            }
            if let item = try DecisionFeed(of: store.location).find(id) {
                return Console.print(json: .map(item.story))
            }
            throw CommandFailure(
                status: .failed,
                message: """
                    there is no decision '\(id)'
                      why: it was never made, or the journal does not keep it any more
                      fix: 'belfry decisions list' shows those that are kept; 'journal: { keep: 7d }' keeps them longer
                    """)
        }
    }

    struct Tail: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "tail",
            abstract: "Print the last decisions, and those that come.",
            discussion: """
                Examples:
                  belfry decisions tail
                  belfry decisions tail --follow --campaign sale
                """)

        @OptionGroup var filter: Filter

        @Option(help: "How many of those that are there.")
        var lines = 10

        @Flag(help: "Wait for more, until Ctrl-C.")
        var follow = false

        @OptionGroup var json: AlwaysJSONOption

        func validate() throws {
            if lines < 0 { throw ValidationError("--lines is \(lines); expected 0 or more") }
        }

        func run() throws {
            if let served = filter.served { return try served.tail(lines, follows: follow) }
            let feed = try DecisionFeed(of: filter.store.location)
            var last: [DecisionFeed.Item] = []
            while true {
                let items = try feed.next()
                if items.isEmpty { break }
                last = Array((last + items.filter(filter.takes)).suffix(lines))
            }
            try show(last)
            while follow {
                let items = try feed.next()
                try show(items.filter(filter.takes))
                // A journal is a file that grows, on any file system.
                if items.isEmpty { usleep(100_000) }
            }
        }

        private func show(_ items: [DecisionFeed.Item]) throws {
            try Console.printNow(items.lazy.map { String(decoding: $0.line, as: UTF8.self) })
        }
    }
}
