import ArgumentParser
import BelfryEngine
import BelfryModel
import BelfryRuntime

struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say why one subject would get a notification or would not, and when it could be.",
        discussion: """
            Asks the real chain over a copy of the subject's record; nothing is changed. Every entry of the chain is \
            told: with its parameters and where each comes from, what it remembers, and what it says.

            Without --at the time is that of the last signal in the store. With --region the campaign's first trigger \
            there is asked about, else the answer to a request.

            Examples:
              belfry explain --subject ana --campaign sale
              belfry explain --subject ana --campaign welcome --region store-14
              belfry explain --subject ana --campaign sale --at 2026-03-03T09:00:00Z
              belfry explain --subject ana --campaign sale --json
            """)

    @Option(help: "The subject.")
    var subject: String

    @Option(help: "The campaign.")
    var campaign: String

    @Option(help: "A region that a trigger of the campaign waits at.")
    var region: String?

    @Option(help: "The trigger, if several of the campaign wait there.")
    var trigger: String?

    @Option(help: "The channel that the signal would come from.")
    var channel: String?

    @Option(help: ArgumentHelp("When, RFC 3339.", valueName: "time"), transform: Arguments.instant)
    var at: Instant?

    @OptionGroup var options: State.StoreOptions
    @OptionGroup var json: JSONOption

    func run() throws {
        let source = try options.options.source().source
        let explanation = try options.withStore { store in
            let record = try StoredSubject.record(of: subject, in: store)
            let time = try at ?? latestTime(in: store) ?? record.latest
            let question = Explanation.Question(
                campaign: campaign, trigger: trigger, region: region, channel: channel, time: time)
            return try source.answer(
                .explain(question), about: subject, try StoredSubject.bytes(of: subject, in: store), isAlone: true)
        }
        if json.isWanted { return Console.print(json: explanation) }
        print(ExplanationText(explanation, askedFor: at).text)
    }
}
