import ArgumentParser
import BelfryCore
import BelfryRuntime
import BelfryStore

struct State: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Look at what is remembered of each subject, check it, erase it.",
        discussion: """
            Examples:
              belfry state list --store sqlite:belfry.db
              belfry state show ana
              belfry state history ana --json
              belfry state loaded ana
              belfry state export ana > ana.json
              belfry state export --all | belfry state import --store sqlite:new.db
              belfry state erase ana --dry-run
              belfry state verify
            """,
        subcommands: [
            List.self, Show.self, History.self, Loaded.self, Export.self, Import.self, Erase.self, Promote.self,
            Verify.self,
        ], defaultSubcommand: List.self)

    /// Where state is.
    struct StoreOptions: ParsableArguments {
        @OptionGroup var options: ConfigurationOptions

        @Option(
            help: ArgumentHelp(
                "The store in place of the configured one: sqlite:PATH or postgres:URL.", valueName: "url"
            ))
        var store: String?

        var location: StoreLocation {
            get throws { try Workspace.store(configuration: options.config, override: store) }
        }

        /// Reads the store, which has to be there. State can be read, and erased, without any plugin.
        ///
        /// - Parameter atOneInstant: whether all that is read is to be as it is now, where the store can.
        func withStore<Result: ~Copyable>(
            atOneInstant: Bool = false, _ body: (any RecordStore) throws -> Result
        ) throws -> Result {
            let store = try JournaledStore(location, atOneInstant: atOneInstant)
            defer { store.close() }
            return try body(store)
        }

        /// Opens the store for writing; fails while another process has it open for writing.
        func withOpenStore<Result>(repairs: Bool = false, _ body: (OpenStore) throws -> Result) throws -> Result {
            let store = try OpenStore(location, creates: false, repairs: repairs)
            defer { store.close() }
            return try body(store)
        }
    }
}
