import BelfryPlugin

/// Stops after a few unopened notifications in a row; the next opening starts afresh.
struct Patience: Strategy {
    static let name = "patience"
    static let summary = "Allows nothing more after some notifications in a row that were not opened."

    struct Parameters: ParameterList {
        var limit = 3
        static var parameters: [Parameter<Self>] {
            [.optional("limit", \.limit, "how many may go unopened in a row", range: .atLeast(1))]
        }
    }

    struct State: StrategyState {
        var unopened = 0
        static var fields: [StateField<Self>] {
            [StateField("unopened", \.unopened, "how many in a row were not opened")]
        }
    }

    let parameters: Parameters
    init(_ parameters: Parameters, host: Host) { self.parameters = parameters }

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        state.unopened < parameters.limit ? .allow : .deny("the last \(parameters.limit) were not opened")
    }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if created { state.unopened += 1 }
    }

    func onOpened(_ candidate: Candidate, state: inout State, context: Context) { state.unopened = 0 }
}

private let plugin = Plugin(id: "patience", version: "1.0.0", strategies: [Patience.self])

@c @implementation
public func belfry_plugin_entry_v1(_ hello: UnsafePointer<belfry_hello>?) -> UnsafePointer<belfry_plugin>? {
    plugin.root
}
