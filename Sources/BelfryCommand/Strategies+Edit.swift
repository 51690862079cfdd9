import ArgumentParser
import BelfryConfiguration
import BelfryCore

extension Strategies {
    struct Move: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move",
            abstract: "Move an entry of the chain, in the configuration file; comments and layout stay.",
            discussion: """
                Examples:
                  belfry strategies move cooldown --first
                  belfry strategies move promo-cap --before cooldown
                """)

        @Argument(help: "The id of a chain entry.")
        var entry: String

        @Option(help: ArgumentHelp("Put it right before this entry.", valueName: "entry"))
        var before: String?

        @Option(help: ArgumentHelp("Put it right after this entry.", valueName: "entry"))
        var after: String?

        @Flag(help: "Put it first.")
        var first = false

        @Flag(help: "Put it last.")
        var last = false

        @OptionGroup var options: ConfigurationOptions

        private var destinations: [ChainEditor.Destination] {
            [before.map { .before($0) }, after.map { .after($0) }, first ? .first : nil, last ? .last : nil].compactMap
            { $0 }
        }

        func validate() throws {
            guard destinations.count == 1 else {
                throw ValidationError("say where to: one of --before ENTRY, --after ENTRY, --first or --last")
            }
        }

        func run() throws {
            do {
                print(try options.workspace().move(entry, to: destinations[0]))
            } catch let refusal as OrderRefusal {
                throw CommandFailure(status: .wrongUse, message: refusal.description)
            }
        }
    }

    struct Enable: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable",
            abstract: "Switch an entry of the chain on, in the configuration file.",
            discussion: "Example:\n  belfry strategies enable promo-cap")

        @Argument(help: "The id of a chain entry.")
        var entry: String

        @OptionGroup var options: ConfigurationOptions

        func run() throws { print(try ChainEditor(path: options.config).setEnabled(entry, true)) }
    }

    struct Disable: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable",
            abstract: "Switch an entry of the chain off, in the configuration file. Its state stays.",
            discussion: "Example:\n  belfry strategies disable promo-cap")

        @Argument(help: "The id of a chain entry.")
        var entry: String

        @OptionGroup var options: ConfigurationOptions

        func run() throws { print(try ChainEditor(path: options.config).setEnabled(entry, false)) }
    }
}
