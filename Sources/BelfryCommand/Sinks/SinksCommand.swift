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
            With --url they ask a service that runs; without, they work on a store that no run or service has open.

            Examples:
              belfry sinks list --store sqlite:shop.db
              belfry sinks show crm
              belfry sinks pause crm
              belfry sinks skip crm --all
              belfry sinks resend crm
              belfry sinks list --url http://127.0.0.1:8787
            """,
        subcommands: [List.self, Show.self, Pause.self, Resume.self, Skip.self, Resend.self],
        defaultSubcommand: List.self)
}

extension SinksCommand {
    /// Which store, and what is configured.
    struct Place: ParsableArguments {
        @OptionGroup var state: State.StoreOptions
        @OptionGroup var service: ServiceOptions

        /// How each sink is doing: by the service, or by what the journal says, also while a run is under way.
        func statuses() throws -> [Fields] {
            if let client = service.client {
                return try client.send("GET", "/v1/sinks").map?["sinks"]?.list?.compactMap(\.map) ?? []
            }
            let workspace = try state.options.workspace()
            return try sinkStatuses(of: workspace.configuration, in: try workspace.store(override: state.store))
                .compactMap(\.value.map)
        }

        /// With what was given up.
        func status(of id: String) throws -> Value {
            if let client = service.client { return try client.send("GET", "/v1/sinks/\(ServiceClient.encoded(id))") }
            let all = try statuses()
            guard var status = all.first(where: { $0["id"]?.text == id }) else {
                throw Self.unknown(id, among: all.compactMap { $0["id"]?.text })
            }
            let location = try state.options.workspace().store(override: state.store)
            status["dead"] = .list(try deadLetters(of: id, in: location).map { .map($0) })
            return .map(status)
        }

        /// - Returns: how many decisions that was about.
        func act(_ action: SinkAction, on id: String) throws -> Int {
            if let client = service.client {
                let path = "/v1/sinks/\(ServiceClient.encoded(id))/\(action.rawValue)"
                return Int(try client.send("POST", path).map?["decisions"]?.integer ?? 0)
            }
            let workspace = try state.options.workspace()
            let location = try workspace.store(override: state.store)
            if location == .memory { throw Self.inMemory }
            let settings = try SinkSettings(of: workspace)
            let store = try OpenStore(location, creates: false)
            defer { store.close() }
            do {
                let count = try BelfryDelivery.act(action, on: id, settings, in: store.journal, say: Console.say)
                guard let count else { throw Self.unknown(id, among: workspace.configuration.sinks.map(\.id)) }
                return count
            } catch let refusal as SinkRefusal {
                throw CommandFailure(status: .wrongUse, message: "\(refusal)")
            }
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
            if json.isWanted { return Console.print(json: .list(statuses.map { .map($0) })) }
            var table = Table("sink", "type", "state", "waiting", "delivered", "failed attempts", "dropped", "why")
            for sink in statuses {
                table.add(
                    sink["id"].cell, sink["type"].cell, sink["state"].cell, sink["waiting"].cell,
                    sink["delivered"].cell, sink["failedAttempts"].cell, sink["dropped"].cell, sink["why"].cell)
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
        @OptionGroup var json: AlwaysJSONOption

        func run() throws {
            Console.print(json: try place.status(of: id))
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
            Console.say("sink '\(id)' goes on\(place.service.url == nil ? " with the next run" : "")")
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
            Console.say("sink '\(id)': \(count) decisions are sent again; 'belfry sinks list' says how it is doing")
        }
    }
}
