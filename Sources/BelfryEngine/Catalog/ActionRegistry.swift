/// Which provider has which action type. The last registration of a type wins, and what it stands before stays, to be told.
///
/// `Handler` is what there is to know of a handler: its function where actions run, its description where they are listed.
public struct ActionRegistry<Handler> {
    public struct Registration {
        public let type: String
        public let plugin: String
        public let handler: Handler
    }

    /// Every type that a plugin provides, in the order of their first registration.
    public private(set) var types: [String] = []
    /// Never empty for a type that is there; the last one is in effect.
    private var registrations: [String: [Registration]] = [:]

    public init() {}

    /// The registration in effect; nil if no plugin provides the type.
    public subscript(type: String) -> Registration? { registrations[type]?.last }

    public mutating func register(_ handler: Handler, for type: String, by plugin: String) {
        if registrations[type] == nil { types.append(type) }
        registrations[type, default: []].append(Registration(type: type, plugin: plugin, handler: handler))
    }

    /// The plugins whose handlers of a type are not in effect, the one that would be next first.
    public func overridden(of type: String) -> [String] {
        (registrations[type] ?? []).dropLast().reversed().map(\.plugin)
    }

    /// A line for each type that is provided more than once: `url: web-action instead of actions`.
    public var overrides: [String] {
        types.compactMap { type in
            guard let last = self[type], let former = overridden(of: type).first else { return nil }
            return "\(type): \(last.plugin) instead of \(former)"
        }
    }
}

extension ActionRegistry: Sendable where Handler: Sendable {}
extension ActionRegistry.Registration: Sendable where Handler: Sendable {}
