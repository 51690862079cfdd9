import BelfryModel
import CBelfry

/// A strategy or filter with one set of parameters: what the plugin's `create` made.
final class Instance: Sendable {
    /// An instance does not change: plugins promise that its checks may run at once for different subjects.
    private let place: Constant<UnsafeMutableRawPointer>
    /// The resolved parameters; nil if none were given.
    let parameters: Value?
    private let provider: Providers.Strategy
    private let services: HostServices
    /// The id of the entry that it is for.
    private let entry: String

    /// Nil and a sentence if the plugin refuses the parameters.
    static func make(
        of provider: Providers.Strategy, for entry: String, schema: ParameterSchema, parameters: Value?,
        _ services: HostServices
    ) -> (instance: Instance?, error: String) {
        let arena = Arena()
        let value = parameters.map { arena.parameters($0, schema) }
        let (pointer, error) = services.noting(.create, of: provider, entry) {
            collectText { provider.create(services.pointer(for: provider.plugin), value, $0) }
        }
        return (pointer.map { Instance($0, parameters, of: provider, for: entry, services) }, error)
    }

    private init(
        _ pointer: UnsafeMutableRawPointer, _ parameters: Value?, of provider: Providers.Strategy, for entry: String,
        _ services: HostServices
    ) {
        (place, self.parameters, self.provider) = (Constant(pointer), parameters, provider)
        (self.entry, self.services) = (entry, services)
    }

    deinit { services.noting(.destroy, of: provider, entry) { provider.destroy(pointer) } }

    var pointer: UnsafeMutableRawPointer { place.pointer }
}

extension HostServices {
    fileprivate func noting<Result>(
        _ hook: LifecycleCall.Hook, of provider: Providers.Strategy, _ entry: String, _ body: () -> Result
    ) -> Result {
        noteLifecycle(LifecycleCall(plugin: provider.plugin, entry: entry, hook: hook))
        defer { noteLifecycle(nil) }
        return body()
    }
}

extension Providers.Strategy {
    fileprivate func create(
        _ host: UnsafePointer<belfry_host>, _ parameters: UnsafePointer<belfry_value>?,
        _ error: UnsafePointer<belfry_sink>?
    ) -> UnsafeMutableRawPointer? {
        switch kind {
        case .strategy(let table): table.pointer.pointee.create(table.pointer.pointee.type, host, parameters, error)
        case .filter(let table): table.pointer.pointee.create(table.pointer.pointee.type, host, parameters, error)
        }
    }

    fileprivate func destroy(_ instance: UnsafeMutableRawPointer) {
        switch kind {
        case .strategy(let table): table.pointer.pointee.destroy(instance)
        case .filter(let table): table.pointer.pointee.destroy(instance)
        }
    }
}
