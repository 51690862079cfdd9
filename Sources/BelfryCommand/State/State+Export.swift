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
            let record = try stored.record()
            var document = record?.value.map ?? ["subject": .text(stored.name)]
            document["writer"] = try stored.bytes.flatMap { try SubjectRecord.writer(of: $0) }.map { .text($0) }
            if !stored.setAside.isEmpty { document["setAside"] = .list(stored.setAside.map(Self.value)) }
            Console.print(json: .map(document))
        }

        /// Nobody knows what is in it, so it is given as it is.
        private static func value(_ record: SetAsideRecord) -> Value {
            ["reason": .text(record.reason), "bytes": .text(record.bytes.hexadecimal)]
        }
    }
}
