import BelfryModel

/// A configuration names a strategy or filter that no plugin offers.
public struct MissingStrategy: Error, Sendable, Hashable, CustomStringConvertible {
    public let name: String
    public let folders: [String]
    /// What the plugins that were found offer.
    public let offered: [String]
    /// Files and folders that were refused: the strategy may be in one of them.
    public let refused: [String]
    /// Files that are no plugins: one of them may be meant to be the one that offers it.
    public let passedOver: [PassedOverFile]

    public init(
        name: String, folders: [String], offered: [String], refused: [String] = [], passedOver: [PassedOverFile] = []
    ) {
        self.name = name
        self.folders = folders
        self.offered = offered.sorted()
        self.refused = refused
        self.passedOver = passedOver
    }

    public var description: String {
        (["no strategy named '\(name)'"] + reasons.map { "  why: \($0)" } + ["  fix: \(fix)"]).joined(
            separator: "\n")
    }

    /// The same as a problem of the configuration.
    package var found: String { "the unknown strategy '\(name)'" }
    package var expected: String { "one that a plugin has: " + reasons.joined(separator: "; ") }

    private var reasons: [String] {
        let place =
            folders.isEmpty
            ? "no plugin folder was given" : "the plugins in \(listed(folders.map { "'\($0)'" }))"
        let offer = offered.isEmpty ? "offer none" : "offer \(listed(offered))"
        var reasons = [folders.isEmpty ? place : "\(place) \(offer)"]
        if !refused.isEmpty {
            let files = listed(refused.map { "'\(fileName(of: $0))'" })
            reasons.append(
                "\(files) \(refused.count == 1 ? "was" : "were") refused and may have it; see 'belfry plugins'"
            )
        }
        return reasons + passedOverReasons
    }

    /// A few names are enough: a folder may have many libraries.
    private var passedOverReasons: [String] {
        let named = passedOver.prefix(3)
        let more = passedOver.count - named.count
        return named.map { "'\(fileName(of: $0.path))' is no plugin: \($0.why)" }
            + (more == 0 ? [] : ["and \(more) more \(more == 1 ? "is" : "are") none; see 'belfry plugins'"])
    }

    package var fix: String {
        if let near = nearestMatch(to: name, among: offered) { return "did you mean '\(near)'?" }
        return
            "put the plugin that offers it into one of these folders, or add its folder to 'plugins: directories' ('bundled' is that of belfry)"
    }
}
