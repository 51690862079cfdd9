import ArgumentParser
import BelfryRuntime

extension State {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Take the records of another store, or of a job on Flink, into a new store.",
            discussion: """
                Reads lines from standard input, as 'belfry state export --all' writes them. Every bit of a record is checked. Signals go \
                on where they were: ids, timers, and what is remembered are in the records.

                Examples:
                  belfry state export --all --store sqlite:old.db > old.jsonl
                  belfry state import --store sqlite:new.db < old.jsonl
                  cat records/*/part-* | belfry state import
                """)

        @OptionGroup var options: StoreOptions

        func run() throws {
            let location = try options.location
            if location == .memory { throw Self.inMemory }
            let input = try Descriptor.input("-", command: "state import")
            let store = try OpenStore(location)
            defer { store.close() }
            let count = try RecordTransfer.import(from: input.number, into: store)
            print("\(count) records")
        }

        private static let inMemory = CommandFailure(
            status: .wrongUse,
            message: """
                cannot import into a store in memory
                  why: it ends with this command, and so would the records
                  fix: name a store that lasts, for example --store sqlite:belfry.db
                """)
    }
}
