import BelfryModel
import CBelfry

/// A strategy or filter with one set of parameters: what the plugin's `create` made.
final class Instance: @unchecked Sendable {
    // Unchecked: an instance is immutable, and plugins promise that its checks may run at once for different subjects.
    let pointer: UnsafeMutableRawPointer
    /// The resolved parameters; nil if none were given.
    let parameters: Value?
    private let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// Nil and a sentence if the plugin refuses the parameters.
    static func make(
        of provider: Providers.Strategy, schema: ParameterSchema, parameters: Value?, host: UnsafePointer<belfry_host>
    ) -> (instance: Instance?, error: String) {
        let arena = Arena()
        let value = parameters.map { arena.parameters($0, schema) }
        let (pointer, error) = collectText { sink in
            switch provider.kind {
            case .strategy(let table): table.pointee.create(table.pointee.type, host, value, sink)
            case .filter(let table): table.pointee.create(table.pointee.type, host, value, sink)
            }
        }
        let destroy =
            switch provider.kind {
            case .strategy(let table): table.pointee.destroy!
            case .filter(let table): table.pointee.destroy!
            }
        return (pointer.map { Instance($0, parameters: parameters, destroy: destroy) }, error)
    }

    private init(
        _ pointer: UnsafeMutableRawPointer, parameters: Value?,
        destroy: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void
    ) {
        self.pointer = pointer
        self.parameters = parameters
        self.destroy = destroy
    }

    deinit { destroy(pointer) }
}
