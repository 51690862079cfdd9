/// What the author of a plugin imports.
///
/// - `Strategy` allows, denies or defers notifications; `Filter` edits or drops them; `ActionProvider` does what an action says.
/// - `ParameterList` describes what can be configured, once: it is checked, explained and decoded from that.
/// - `StrategyState` is what a strategy remembers of a subject; the host keeps it.
/// - `Candidate`, `Context` and `Host` are the whole world a plugin sees. There is no other clock.
/// - `Plugin` puts these together, and one function hands it to the host:
///
///       import BelfryPlugin
///
///       private let plugin = Plugin(id: "cooldown", version: "1.0.0", strategies: [Cooldown.self])
///
///       @c @implementation
///       public func belfry_plugin_entry_v1(_ hello: UnsafePointer<belfry_hello>?) -> UnsafePointer<belfry_plugin>? {
///           plugin.root
///       }
///
/// Only C crosses to the host (`Bridge/`); every plugin carries its own copy of this module.
@_exported import BelfryModel
@_exported import CBelfry
