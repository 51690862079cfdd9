import ArgumentParser
import BelfryCore
import BelfryDelivery
import BelfryModel
import BelfryRuntime
import BelfryStore

struct SinksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sinks",
        abstract: "Look at where decisions are delivered to, pause it, and send again what was given up.",
        discussion: """
            They work on a store that nobody has open; while 'belfry serve' runs, its /v1/sinks does the same.

            Examples:
              belfry sinks list --store sqlite:shop.db
              belfry sinks show crm
              belfry sinks pause crm
              belfry sinks skip crm --all
              belfry sinks resend crm
            """,
        subcommands: [List.self, Show.self, Pause.self, Resume.self, Skip.self, Resend.self],
        defaultSubcommand: List.self)
}

extension SinksCommand {
    /// Which store, and what is configured.
    struct Place: ParsableArguments {
        @OptionGroup var options: ConfigurationOptions

        @Option(help: ArgumentHelp("The store in place of the configured one: sqlite:PATH.", valueName: "url"))
        var store: String?

        /// Reads what the journal says of each sink, also while a run is under way.
        func statuses() throws -> [SinkStatus] {
            let workspace = try options.workspace()
            return try sinkStatuses(of: workspace.configuration, in: try workspace.store(override: store))
        }

        func status(of id: String) throws -> SinkStatus {
            let all = try statuses()
            guard let status = all.first(where: { $0.id == id }) else { throw Self.unknown(id, among: all.map(\.id)) }
            return status
        }

        /// - Returns: how many decisions that was about.
        func act(_ action: SinkAction, on id: String) throws -> Int {
            let workspace = try options.workspace()
            let location = try workspace.store(override: store)
            if location == .memory { throw Self.inMemory }
            let settings = try SinkSettings(of: workspace)
            let store = try OpenStore(location, creates: false)
            defer { store.close() }
            guard let count = try BelfryDelivery.act(action, on: id, settings, in: store.journal, say: Console.say)
            else {
                throw Self.unknown(id, among: workspace.configuration.sinks.map(\.id))
            }
            return count
        }

        private static func unknown(_ id: String, among known: [String]) -> CommandFailure {
            CommandFailure(
                status: .wrongUse,
                message: """
                    there is no sink '\(id)'
                      why: \(known.isEmpty ? "the configuration has no sinks" : "it has \(known.joined(separator: ", "))")
                      fix: 'belfry sinks list' shows them
                    """)
        }

        private static let inMemory = CommandFailure(
            status: .wrongUse,
            message: """
                there is nothing to do: the store is in memory
                  why: what sinks have done there ends with the process
                  fix: name a store that lasts, for example --store sqlite:belfry.db
                """)
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show each sink: how it is doing, and how many decisions wait for it.",
            discussion: """
                Examples:
                  belfry sinks list
                  belfry sinks list --json
                """)

        @OptionGroup var place: Place
        @OptionGroup var json: JSONOption

        func run() throws {
            let statuses = try place.statuses()
            if json.isWanted { return Console.print(json: .list(statuses.map(\.value))) }
            var table = Table("sink", "type", "state", "waiting", "delivered", "failed attempts", "dropped", "why")
            for sink in statuses {
                table.add(
                    sink.id, sink.type, sink.state.rawValue, "\(sink.waiting)", "\(sink.delivered)",
                    "\(sink.failedAttempts)", "\(sink.dropped)", sink.why.cell)
            }
            print(statuses.isEmpty ? "the configuration has no sinks" : table.text)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show one sink, and what was given up.",
            discussion: """
                Examples:
                  belfry sinks show crm
                  belfry sinks show crm --store sqlite:shop.db
                """)

        @Argument(help: "The id of the sink.") var id: String
        @OptionGroup var place: Place

        func run() throws {
            var fields = try place.status(of: id).value.map ?? [:]
            let workspace = try place.options.workspace()
            let letters = deadLetters(of: id, in: try workspace.store(override: place.store))
            fields["dead"] = .list(letters.map { .map($0) })
            Console.print(json: .map(fields))
        }
    }

    struct Pause: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pause",
            abstract: "Deliver nothing to a sink until it is resumed; what comes waits in the journal.",
            discussion: "Example:\n  belfry sinks pause crm")

        @Argument(help: "The id of the sink.") var id: String
        @OptionGroup var place: Place

        func run() throws {
            _ = try place.act(.pause, on: id)
            Console.say("sink '\(id)' is paused; 'belfry sinks resume \(id)' goes on where it is")
        }
    }

    struct Resume: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume", abstract: "Go on with a sink that was paused, has stopped or is broken.",
            discussion: "Example:\n  belfry sinks resume crm")

        @Argument(help: "The id of the sink.") var id: String
        @OptionGroup var place: Place

        func run() throws {
            _ = try place.act(.resume, on: id)
            Console.say("sink '\(id)' goes on with the next run")
        }
    }

    struct Skip: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "skip",
            abstract: "Give up the decision that a sink does not take, or else the first that waits.",
            discussion: """
                What is given up can be looked at with 'belfry sinks show', and sent again with 'belfry sinks resend'.

                Examples:
                  belfry sinks skip crm
                  belfry sinks skip crm --all
                """)

        @Argument(help: "The id of the sink.") var id: String
        @Flag(help: "Give up everything that waits.") var all = false
        @OptionGroup var place: Place

        func run() throws {
            let count = try place.act(all ? .skipAll : .skip, on: id)
            Console.say("sink '\(id)': \(count) decisions were given up")
        }
    }

    struct Resend: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resend", abstract: "Deliver what was given up, now.",
            discussion: "Example:\n  belfry sinks resend crm")

        @Argument(help: "The id of the sink.") var id: String
        @OptionGroup var place: Place

        func run() throws {
            let count = try place.act(.resend, on: id)
            Console.say("sink '\(id)': \(count) decisions were tried again")
        }
    }
}
