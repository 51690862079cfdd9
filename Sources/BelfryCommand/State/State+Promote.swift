import ArgumentParser
import BelfryRuntime

extension State {
    struct Promote: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "promote",
            abstract:
                "Exchange the records with those of the shadow, so that its configuration goes on with what it knows.",
            discussion: """
                No other process may be writing to the store meanwhile. From then on run with the shadow's configuration; the former one \
                can be its shadow, and another promotion takes it all back. No id of a decision or notification is given twice.

                Examples:
                  belfry state promote && belfry run --config other.yaml --shadow belfry.yaml
                  belfry state promote --store sqlite:belfry.db
                """)

        @OptionGroup var options: StoreOptions

        func run() throws {
            let count = try ShadowPromotion.perform(at: options.location)
            print("the records of \(count) subjects are those of the shadow now, and the shadow has the former ones")
        }
    }
}
