import ArgumentParser
import BelfryModel
import BelfryStore

extension State {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the subjects that are known.",
            discussion: """
                Examples:
                  belfry state list --store sqlite:belfry.db
                  belfry state list --json
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            try options.withStore { store in
                guard !json.isWanted else { return try printJSON(store) }
                // One line each, whatever characters a device has in its id.
                try forEach(in: store) { print($0 == $0.onOneLine ? $0 : Value.text($0).json) }
            }
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
}
