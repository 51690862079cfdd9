import ArgumentParser
import BelfryEngine
import BelfryModel
import BelfryRuntime
import BelfryStore

extension State {
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract:
                "Print everything that the store has of one subject, as one JSON document; or the records of all.",
            discussion: """
                Of the ids of signals and the keys of requests only hashes are stored; the document says how many. With --all each record \
                is a line, as 'belfry state import' and a job on Flink take it; of who was erased there is a digest with a number.

                Examples:
                  belfry state export ana > ana.json
                  belfry state export ana --store sqlite:belfry.db
                  belfry state export --all > records.jsonl
                """)

        @Argument(help: "The subject.") var subject: String?
        @Flag(help: "Print the records of all subjects, a line each.") var all = false
        @OptionGroup var options: StoreOptions
        @OptionGroup var json: AlwaysJSONOption

        func validate() throws {
            guard (subject == nil) == all else { throw ValidationError("name a subject, or give --all") }
        }

        func run() throws {
            guard let subject else {
                return try options.withStore(atOneInstant: true) { try RecordTransfer.export($0) { print($0) } }
            }
            let stored = try options.withStore { try StoredSubject(subject, in: $0) }
            var document: Fields = ["subject": .text(stored.name)]
            if let record = try stored.record(), let whole = record.value.map { document = whole }
            if !stored.quarantined.isEmpty { document["quarantined"] = .list(stored.quarantined.map(Self.value)) }
            Console.print(json: .map(document))
        }

        /// It could not be read, so its bytes are given as they are.
        private static func value(_ record: QuarantinedRecord) -> Value {
            ["reason": .text(record.reason), "bytes": .text(record.bytes.hexadecimal)]
        }
    }
}
