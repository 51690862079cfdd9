import ArgumentParser
import BelfryEngine
import BelfryHost
import BelfryModel
import BelfryStore

struct State: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at what is remembered of each subject.",
        discussion: """
            Examples:
              belfry state list --store sqlite:belfry.db
              belfry state show ana
            """,
        subcommands: [List.self, Show.self], defaultSubcommand: List.self)

    /// Where state is read from.
    struct StoreOptions: ParsableArguments {
        @OptionGroup var options: ConfigurationOptions

        @Option(help: ArgumentHelp("The store in place of the configured one: sqlite:PATH.", valueName: "url"))
        var store: String?

        /// The store, for reading. State can be read without any plugin.
        func open() throws -> any RecordStore {
            let location = try Workspace.store(configuration: options.config, override: store)
            return try location.open(readOnly: true)
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the subjects that are known.",
            discussion: """
                Examples:
                  belfry state list --store sqlite:belfry.db
                  belfry state list --json
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            let store = try options.open()
            defer { store.close() }
            guard !json.isWanted else { return try printJSON(store) }
            try forEach(in: store) { print($0) }
        }

        /// One array, written as it is read: there may be millions.
        private func printJSON(_ store: any RecordStore) throws {
            var separator = "["
            try forEach(in: store) { subject in
                print(separator, Value.text(subject).json, separator: "", terminator: "")
                separator = ","
            }
            print(separator == "[" ? "[]" : "]")
        }

        private func forEach(in store: any RecordStore, _ body: (String) -> Void) throws {
            var last: String?
            while true {
                let page = try store.subjects(after: last, limit: 1000)
                page.forEach(body)
                guard let end = page.last else { return }
                last = end
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Show the record of one subject: attributes, presence, and the state of every strategy by its keys.",
            discussion: """
                Examples:
                  belfry state show ana --store sqlite:belfry.db
                  belfry state show ana --json
                """)

        @Argument(help: "The subject.")
        var subject: String

        @OptionGroup var options: StoreOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            let store = try options.open()
            defer { store.close() }
            guard let bytes = try store.record(for: subject) else {
                let known = try store.subjects(after: nil, limit: 10_000)
                let fix =
                    nearestMatch(to: subject, among: known).map { "did you mean '\($0)'?" }
                    ?? "belfry state list names them"
                throw CommandFailure(
                    status: .failed,
                    message:
                        "there is no record of subject '\(subject)'\n  why: no signal named it, or it was erased\n  fix: \(fix)"
                )
            }
            let record: SubjectRecord
            do {
                record = try SubjectRecord(subject: subject, decoding: bytes)
            } catch {
                throw CommandFailure(
                    status: .failed, message: RecordFailure(subject: subject, reason: error.reason).description)
            }
            if json.isWanted { return Console.print(json: record.value) }
            for (key, value) in record.lines { print("\(key) = \(value)") }
        }
    }
}
