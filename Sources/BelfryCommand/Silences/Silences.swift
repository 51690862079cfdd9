import ArgumentParser
import BelfryConfiguration
import BelfryEngine
import BelfryModel
import BelfryService
import Foundation

struct Silences: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "silences",
        abstract: "List, make and end silences: of a configuration, or of a service that runs.",
        discussion: """
            Without --url they are made in the file beside the configuration that a service uses too; one that runs takes them at a \
            reload.

            Examples:
              belfry silences list
              belfry silences add 'campaign=~"promo-.*"' --for 2h --comment "Shop closed"
              belfry silences expire 4be6f7a2-9b0e-4d15-8a57-0a2a3a6b5b11
              belfry silences list --url http://127.0.0.1:8787
            """,
        subcommands: [List.self, Add.self, Expire.self], defaultSubcommand: List.self)

    /// Where silences are.
    struct Place: ParsableArguments {
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var service: ServiceOptions
    }
}

extension Silences {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the silences: what they look at, until when, and who made them.",
            discussion: """
                Examples:
                  belfry silences list
                  belfry silences list --json
                """)

        @OptionGroup var place: Place
        @OptionGroup var json: JSONOption

        func run() throws {
            let silences =
                try place.service.client?.send("GET", "/api/v2/silences")
                ?? SilenceBook.list(try place.options.document().configuration.silences, at: .wallClock)
            if json.isWanted { return Console.print(json: silences) }
            guard let list = silences.list, !list.isEmpty else { return print("there are no silences") }
            var table = Table("silence", "state", "matchers", "until", "by", "comment")
            for silence in list.compactMap(\.map) {
                table.add(
                    silence["id"].cell, (silence["status"]?.map?["state"]).cell, Self.matchers(silence),
                    silence["endsAt"].cell, silence["createdBy"].cell, silence["comment"].cell)
            }
            print(table.text)
        }

        private static func matchers(_ silence: Fields) -> String {
            (silence["matchers"]?.list ?? []).compactMap(\.map).map { matcher in
                let (isEqual, isRegex) = (matcher["isEqual"] != false, matcher["isRegex"] == true)
                let sign = isRegex ? (isEqual ? "=~" : "!~") : (isEqual ? "=" : "!=")
                return "\(matcher["name"]?.text ?? "")\(sign)\(matcher["value"]?.text ?? "")"
            }.joined(separator: ", ")
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Make a silence from now on, and print its id.",
            discussion: """
                Examples:
                  belfry silences add campaign=sale --for 2h --comment "Shop closed"
                  belfry silences add 'tag=~"promo.*"' 'tag!=urgent' --for 90m --comment Stock
                  belfry silences add subject=ana --for 7d --comment Holiday --by support
                """)

        @Argument(help: "What is silenced: all of these hold, such as campaign=autumn-sale or 'tag!=urgent'.")
        var matchers: [String]

        @Option(name: .customLong("for"), help: ArgumentHelp("For how long, such as 2h.", valueName: "duration"))
        var duration: String

        @Option(help: "Why.")
        var comment: String

        @Option(help: ArgumentHelp("Who makes it. Default: the user.", valueName: "name"))
        var by = NSUserName()

        @OptionGroup var place: Place

        func validate() throws {
            guard let duration = BelfryModel.Duration(text: duration), duration > .zero else {
                throw ValidationError("--for is '\(duration)'; write a duration such as 90m or 2h")
            }
            // No text has a later time.
            guard (Instant.wallClock + duration).isWritable else {
                throw ValidationError("--for is '\(self.duration)', which is beyond the year 9999; write less")
            }
        }

        func run() throws {
            let now = Instant.wallClock
            let request = try request(at: now)
            if let client = place.service.client {
                let answer = try client.send("POST", "/api/v2/silences", body: .map(request))
                return print(answer.map?["silenceID"]?.text ?? "")
            }
            print(try SilenceBook(of: try place.options.document().path).add(request, at: now))
        }

        private func request(at now: Instant) throws -> Fields {
            do {
                // `validate` has seen that it is one.
                let until = now + BelfryModel.Duration(text: duration)!
                return try SilenceBook.request(matchers, from: now, until: until, by: by, comment: comment)
            } catch let fault as SilenceMatcher.Fault {
                throw CommandFailure(
                    status: .wrongUse,
                    message: """
                        the silence makes no sense
                          why: found \(fault.found); expected \(fault.expected)
                          fix: \(fault.fix ?? "write \(fault.expected)")
                        """)
            }
        }
    }

    struct Expire: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "expire", abstract: "End a silence now.",
            discussion: """
                Examples:
                  belfry silences add campaign=sale --for 2h --comment "Shop closed" > silence
                  belfry silences expire "$(cat silence)"
                """,
            aliases: ["end"])

        @Argument(help: "The id of the silence.")
        var id: String

        @OptionGroup var place: Place

        func run() throws {
            if let client = place.service.client {
                _ = try client.send("DELETE", "/api/v2/silence/" + ServiceClient.encoded(id))
                return
            }
            let document = try place.options.document()
            guard let silence = document.configuration.silences.first(where: { $0.id == id }) else {
                throw CommandFailure(
                    status: .failed,
                    message: """
                        there is no silence '\(id)'
                          why: neither the configuration nor the file beside it has it
                          fix: 'belfry silences list' shows those that there are
                        """)
            }
            try SilenceBook(of: document.path).expire(silence, at: .wallClock)
        }
    }
}
