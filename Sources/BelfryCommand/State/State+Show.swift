import ArgumentParser

extension State {
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract:
                "Show the record of one subject: attributes, presence, and the state of every strategy by its keys.",
            discussion: """
                Examples:
                  belfry state show ana --store sqlite:belfry.db
                  belfry state show ana --json
                """)

        @OptionGroup var who: SubjectArgument
        @OptionGroup var options: StoreOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            let record = try options.withStore { try StoredSubject.record(of: who.subject, in: $0) }
            if json.isWanted { return Console.print(json: record.value) }
            for (key, value) in record.lines { print("\(key) = \(value)") }
        }
    }
}
