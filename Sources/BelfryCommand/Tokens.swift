import ArgumentParser
import BelfryConfiguration
import BelfryModel
import BelfryService

extension Role: ExpressibleByArgument {}

struct Tokens: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Make, list and revoke the tokens of those who may call the service.",
        discussion: """
            They are in the file that 'serve: { tokens }' names: digests only. A running service takes changes at a reload.

            Examples:
              belfry tokens new backend --role submit
              belfry tokens new laptop --role admin --expires $(date -ud +90days +%FT%TZ)
              belfry tokens list
              belfry tokens revoke backend
            """,
        subcommands: [New.self, List.self, Revoke.self], defaultSubcommand: List.self)

    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new", abstract: "Make a token. It is printed once, and kept nowhere.",
            discussion: """
                Examples:
                  belfry tokens new backend --role submit
                  belfry tokens new dashboard --role read > dashboard.token
                  belfry tokens new laptop --role admin --expires $(date -ud +90days +%FT%TZ)
                """)

        @Argument(help: "What to call it.")
        var name: String

        @Option(help: ArgumentHelp("What its holder may do: submit, read, operate or admin.", valueName: "role"))
        var role: Role

        @Option(
            help: ArgumentHelp("Until when (RFC 3339). Default: for good.", valueName: "time"),
            transform: Arguments.instant)
        var expires: Instant?

        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard let expires, expires <= .wallClock else { return }
            throw ValidationError("--expires is \(expires), which is over; name a later time, or leave it out")
        }

        func run() throws {
            print(try options.changeTokens { try $0.add(name, role: role, expires: expires) })
            do throws(CommandFailure) { try Console.finish() } catch { throw takingBack(error) }
        }

        /// A secret that could not be printed is nowhere: its token is of no use, and its name would be taken.
        private func takingBack(_ failure: CommandFailure) -> CommandFailure {
            var failure = failure
            do {
                try options.changeTokens { try $0.revoke(name) }
                failure.message += "\n  effect: the token '\(name)' was taken back"
            } catch {
                failure.message += "\n  effect: the token '\(name)' stays, and its secret is lost; revoke it\n\(error)"
            }
            return failure
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the tokens: their names, roles, and until when they are good.",
            discussion: """
                Examples:
                  belfry tokens list
                  belfry tokens list --json
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            let tokens = try TokenFile(path: options.tokenPath()).tokens
            if json.isWanted { return Console.print(json: .list(tokens.map(\.value))) }
            if tokens.isEmpty { return print("there are no tokens") }
            var table = Table("token", "role", "expires")
            for token in tokens { table.add(token.name, token.role.rawValue, token.expires?.description ?? "never") }
            print(table.text)
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Remove a token. A running service refuses it after a reload.",
            discussion: """
                Examples:
                  belfry tokens revoke backend
                """)

        @Argument(help: "The name of the token.")
        var name: String

        @OptionGroup var options: ConfigurationOptions

        func run() throws {
            try options.changeTokens { try $0.revoke(name) }
            Console.say("'\(name)' is revoked; reload a service that is running")
        }
    }
}

extension Token {
    fileprivate var value: Value {
        var fields = Fields([("name", .text(name)), ("role", .text(role.rawValue))])
        fields["expires"] = expires.map { .text("\($0)") }
        return .map(fields)
    }
}

extension ConfigurationOptions {
    fileprivate func changeTokens<Result>(_ change: (inout TokenFile) throws -> Result) throws -> Result {
        let path = try tokenPath()
        return try AtomicFile.change(path) {
            var file = try TokenFile(path: path)
            let result = try change(&file)
            try file.write()
            return result
        }
    }

    /// The file that the configuration names; whatever else is wrong there, a token has to be taken away at once.
    fileprivate func tokenPath() throws -> String {
        let (document, failure) = try ConfigurationReader().attempt(ConfigurationFiles(path: config))
        guard let name = document.configuration.service.tokens else {
            if let failure { throw failure }
            throw CommandFailure(
                status: .wrongUse,
                message: """
                    the configuration names no file for tokens
                      why: without one, a token is made for each start of the service
                      fix: write serve: { tokens: tokens.yaml } into '\(config)'
                    """)
        }
        return document.path(of: name)
    }
}
