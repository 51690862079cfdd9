import BelfryPlugin

/// Functions that are not what their signatures say.
struct Crooked: ActionProvider {
    static var actions: [Action] {
        [
            Action(signature: "weigh(grams: double)", summary: "Takes a whole number.", handler: weigh),
            Action(signature: "measure(meters: double, round: bool)", summary: "Takes one argument.", handler: measure),
        ]
    }
}

private let weigh: @convention(c) (Int64, ActionResult) -> belfry_status = { _, _ in BELFRY_OK }
private let measure: @convention(c) (Double, ActionResult) -> belfry_status = { _, _ in BELFRY_OK }

private let plugin = Plugin(id: "test.crooked", version: "1.0.0", actions: [Crooked.self])

@c @implementation
public func belfry_plugin_entry_v1(_ hello: UnsafePointer<belfry_hello>?) -> UnsafePointer<belfry_plugin>? {
    plugin.root
}
