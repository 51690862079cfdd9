import ArgumentParser
import BelfryCore
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
              belfry state erase ana --dry-run
              belfry state verify
            """,
        subcommands: [
            List.self, Show.self, History.self, Loaded.self, Export.self, Erase.self, Verify.self,
        ], defaultSubcommand: List.self)

    /// Where state is.
    struct StoreOptions: ParsableArguments {
        @OptionGroup var options: ConfigurationOptions

        @Option(help: ArgumentHelp("The store in place of the configured one: sqlite:PATH.", valueName: "url"))
        var store: String?

        /// Does `body` with the store, and closes it. State can be read, and erased, without any plugin.
        ///
        /// - Parameter isChanging: nobody else may be writing to the store then. It has to be there either way.
        func withStore<Result: ~Copyable>(isChanging: Bool = false, _ body: (any RecordStore) throws -> Result) throws
            -> Result
        {
            let location = try Workspace.store(configuration: options.config, override: store)
            let store = try location.open(readOnly: !isChanging, creates: false)
            defer { store.close() }
            return try body(store)
        }
    }
}
