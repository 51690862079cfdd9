import BelfryConfiguration
import BelfryCore
import BelfryStore

extension Workspace {
    /// The store that the configuration names, or `override` in its place. Relative paths are relative to the
    /// configuration's folder, those of `override` to the current one.
    public func store(override: String? = nil) throws -> StoreLocation {
        try Self.store(of: document, override: override)
    }

    /// The same without looking for plugins; the configuration is read only if it is needed.
    public static func store(configuration path: String, override: String?) throws -> StoreLocation {
        guard let override else { return try store(of: ConfigurationReader.read(path: path), override: nil) }
        guard let location = StoreLocation(override) else { throw UnknownStore(text: override) }
        return location
    }

    private static func store(of document: ConfigurationDocument, override: String?) throws -> StoreLocation {
        let text = override ?? document.configuration.store
        guard let location = StoreLocation(text) else { throw UnknownStore(text: text) }
        return override == nil ? location.resolved(against: document.folder) : location
    }
}

/// A store that is not one.
public struct UnknownStore: Error, CustomStringConvertible {
    let text: String

    /// There may be a password in what was meant to be an address.
    private var shown: String {
        guard let end = text.lastIndex(of: "@"), let colon = text.firstIndex(of: ":"), colon < end else { return text }
        return "\(text[...colon])…\(text[end...])"
    }

    public var description: String {
        "there is no store '\(shown)'\n  why: a store is \(StoreLocation.forms)\n  fix: write for example sqlite:belfry.db"
    }
}
