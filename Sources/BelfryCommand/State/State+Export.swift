import ArgumentParser
import BelfryEngine
import BelfryModel
import BelfryStore

extension State {
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Print everything that the store has of one subject, as one JSON document.",
            discussion: """
                Of the ids of signals and the keys of requests only hashes are stored; the document says how many.

                Examples:
                  belfry state export ana > ana.json
                  belfry state export ana --store sqlite:belfry.db
                """)

        @OptionGroup var who: SubjectArgument
        @OptionGroup var options: StoreOptions

        func run() throws {
            let stored = try options.withStore { try StoredSubject(who.subject, in: $0) }
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
