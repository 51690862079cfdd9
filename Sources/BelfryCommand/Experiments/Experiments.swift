import ArgumentParser
import BelfryCore
import BelfryModel
import BelfryRuntime
import BelfrySignals
import BelfrySimulation

struct Experiments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "experiments",
        abstract: "What the variants of experiments came to.",
        discussion: """
            Examples:
              belfry experiments report
              belfry experiments report more-news --json
            """,
        subcommands: [Report.self], defaultSubcommand: Report.self)
}

extension Experiments {
    struct Report: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "report",
            abstract: "Compare the variants by the decisions that the journal keeps.",
            discussion: """
                A subject counts from its exposure on. Differences are to the first variant, with their 95 % interval.

                Examples:
                  belfry experiments report
                  belfry experiments report more-news --json
                  belfry experiments report --page experiments.html
                """)

        @Argument(help: "The id of the experiment; without it, all.")
        var id: String?

        @OptionGroup var store: State.StoreOptions
        @OptionGroup var json: JSONOption

        @Option(
            help: ArgumentHelp("A file for a page that shows all of it, to be opened in a browser.", valueName: "file"))
        var page: String?

        func run() throws {
            let workspace = try store.options.workspace()
            let configured = workspace.configuration.experiments
            let wanted = configured.filter { id == nil || $0.id == id }
            if wanted.isEmpty { throw noExperiment(among: configured.map(\.id)) }
            // The page is opened before the report is computed, so that a page that cannot be written fails at once.
            let output = try page.map { try openPage($0, sparing: workspace) }
            var report = ExperimentReport(wanted)
            let feed = try DecisionFeed(of: store.location)
            while true {
                let items = try feed.next()
                if items.isEmpty { break }
                for item in items { report.add(item.decision) }
            }
            if let output { try ExperimentPage(report, config: store.options.config).write(to: output) }
            if json.isWanted { Console.print(json: report.value) } else { print(report.text) }
        }

        private func openPage(_ path: String, sparing workspace: Workspace) throws -> ByteOutput {
            let page = try Descriptor.output(path)
            try Descriptor.refuseSharing(
                ("--page", page),
                with: workspace.filesToSpare + store.location.filesToSpare + workspace.filesOfStore)
            return ByteOutput(page.number, name: page.name, isContinued: true)
        }

        private func noExperiment(among known: [String]) -> CommandFailure {
            let near = id.flatMap { nearestMatch(to: $0, among: known) }
            return CommandFailure(
                status: .wrongUse,
                message: """
                    there is no experiment\(id.map { " '\($0)'" } ?? "")
                      why: \(store.options.config) \(known.isEmpty ? "has none" : "has \(known.joined(separator: ", "))")
                      fix: \(near.map { "did you mean '\($0)'?" } ?? "add it to 'experiments'")
                    """)
        }
    }
}
