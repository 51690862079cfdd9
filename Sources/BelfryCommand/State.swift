import ArgumentParser
import BelfryEngine
import BelfryHost
import BelfryModel
import BelfryStore

struct State: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at what is remembered of each subject.",
        subcommands: [List.self, Show.self], defaultSubcommand: List.self)

    /// Where state is read from.
    struct StoreOptions: ParsableArguments {
        @OptionGroup var options: ConfigurationOptions

        @Option(help: "The store in place of the configured one: sqlite:PATH.")
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
            var last: String?
            while true {
                let page = try store.subjects(after: last, limit: 1000)
                for subject in page { print(json.isWanted ? Value.text(subject).json : subject) }
                guard let end = page.last else { return }
                last = end
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the record of one subject: attributes, presence, and the state of every strategy by its keys.",
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
                let fix = nearestMatch(to: subject, among: known).map { "did you mean '\($0)'?" } ?? "belfry state list names them"
                throw CommandFailure(
                    status: .failed, message: "there is no record of subject '\(subject)'\n  why: no signal named it, or it was erased\n  fix: \(fix)")
            }
            let record: SubjectRecord
            do {
                record = try SubjectRecord(subject: subject, decoding: bytes)
            } catch {
                throw CommandFailure(status: .failed, message: RecordFailure(subject: subject, reason: error.reason).description)
            }
            if json.isWanted { return Console.print(json: record.value) }
            for (key, value) in record.lines { print("\(key) = \(value)") }
        }
    }
}
