import BelfryModel

/// One value of a configuration file, and where it stands.
///
/// A tree of its own rather than the parser's: it resolves scalars as YAML 1.2 does (`on` and `no` are text), spans several
/// files after `include`, and every node can say its file, line and path.
public struct ConfigurationNode: Sendable {
    public let place: Place
    public let content: Content

    public enum Content: Sendable {
        /// `text` as written (without its quotes); `value` what it means.
        case scalar(text: String, value: Value)
        case list([ConfigurationNode])
        /// In file order; keys are unique.
        case map([Member])
    }

    public struct Member: Sendable {
        public let key: String
        public let node: ConfigurationNode

        public init(key: String, node: ConfigurationNode) {
            self.key = key
            self.node = node
        }
    }

    public init(_ content: Content, at place: Place) {
        self.content = content
        self.place = place
    }
}

extension ConfigurationNode {
    /// The value without its place.
    public var value: Value {
        switch content {
        case .scalar(_, let value): value
        case .list(let items): .list(items.map(\.value))
        case .map(let members): .map(Fields(members.lazy.map { ($0.key, $0.node.value) }))
        }
    }

    /// How many lists and mappings are in one another; 0 for a scalar.
    var depth: Int {
        switch content {
        case .scalar: 0
        case .list(let items): 1 + (items.map(\.depth).max() ?? 0)
        case .map(let members): 1 + (members.map(\.node.depth).max() ?? 0)
        }
    }

    /// The items; nil for anything but a list.
    public var items: [ConfigurationNode]? {
        if case .list(let items) = content { items } else { nil }
    }

    /// The members; nil for anything but a mapping.
    public var members: [Member]? {
        if case .map(let members) = content { members } else { nil }
    }

    /// The value under `key` of a mapping.
    public subscript(key: String) -> ConfigurationNode? {
        members?.first { $0.key == key }?.node
    }

    public var isNull: Bool {
        if case .scalar(_, .null) = content { true } else { false }
    }

    /// What an error message calls this value: `the text 'high'`, `a list`.
    var found: String {
        switch content {
        case .scalar(_, .null): "nothing"
        case .scalar(let text, .text): "the text '\(text)'"
        case .scalar(let text, .integer), .scalar(let text, .number): "the number \(text)"
        case .scalar(let text, _): text
        case .list(let items): items.isEmpty ? "an empty list" : "a list"
        case .map(let members): members.isEmpty ? "an empty mapping" : "a mapping"
        }
    }

    /// The same without items of lists that were left out, by their places.
    func without(_ leftOut: Set<ObjectIdentifier>) -> ConfigurationNode {
        if leftOut.isEmpty { return self }
        return switch content {
        case .scalar: self
        case .list(let items):
            ConfigurationNode(
                .list(
                    items.filter { !leftOut.contains(ObjectIdentifier($0.place)) }.map { $0.without(leftOut) }),
                at: place)
        case .map(let members):
            ConfigurationNode(
                .map(members.map { Member(key: $0.key, node: $0.node.without(leftOut)) }), at: place)
        }
    }

    /// Walks `path` (keys and positions) as deep as it leads; what is left over leads nowhere.
    package func descend(_ path: some Sequence<String>) -> (node: ConfigurationNode, rest: [String]) {
        var node = self
        var rest = Array(path)[...]
        while let step = rest.first, let child = node.child(step) {
            node = child
            rest = rest.dropFirst()
        }
        return (node, Array(rest))
    }

    private func child(_ step: String) -> ConfigurationNode? {
        guard let items else { return self[step] }
        return Int(step).flatMap { items.indices.contains($0) ? items[$0] : nil }
    }
}
