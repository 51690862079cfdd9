import BelfryModel

/// Reads the keys of one mapping and notes what is missing, wrong or unknown.
///
/// Every key asked for is a known key; the others are reported when reading ends. So the code that reads a part is the list
/// of its keys, and the two cannot drift apart.
final class MapReader {
    let node: ConfigurationNode
    let reports: ConfigurationReports
    private var known: [String] = []
    private var acceptsOthers = false

    private init(_ node: ConfigurationNode, _ reports: ConfigurationReports) {
        (self.node, self.reports) = (node, reports)
    }

    /// Reads a mapping with `body`; nil, and a report, for anything else.
    static func read<Result>(
        _ node: ConfigurationNode, _ reports: ConfigurationReports, _ body: (MapReader) -> Result?
    ) -> Result? {
        guard node.members != nil else { return reports.refuse(node, expected: "a mapping") }
        let map = MapReader(node, reports)
        let result = body(map)
        map.reportUnknown()
        return result
    }

    /// The value under `key`, nil when it is absent or wrong.
    ///
    /// - Parameter rule: made only when there is something to read. Most keys of most parts are absent.
    func optional<Result>(_ key: String, _ rule: @autoclosure () -> Rule<Result>) -> Result? {
        known.append(key)
        return node[key].flatMap { rule().read($0, reports) }
    }

    /// The same, and a report when it is absent.
    func required<Result>(_ key: String, _ rule: Rule<Result>) -> Result? {
        if node[key] == nil {
            reports.add(
                at: node.place, below: [key], found: "no key '\(key)'", expected: rule.expected,
                fix: "add '\(key): …'")
        }
        return optional(key, rule)
    }

    /// Replaces `target` when the key is there and right, so that defaults live where the type has them.
    func set<Result>(_ target: inout Result, _ key: String, _ rule: @autoclosure () -> Rule<Result>) {
        if let value = optional(key, rule()) { target = value }
    }

    func set<Result>(_ target: inout Result?, _ key: String, _ rule: @autoclosure () -> Rule<Result>) {
        if let value = optional(key, rule()) { target = value }
    }

    /// Reports `key`, when it is there, as one that another value rules out.
    func refuse(
        _ key: String, found: @autoclosure () -> String, expected: @autoclosure () -> String,
        fix: @autoclosure () -> String
    ) {
        guard let child = node[key] else { return }
        known.append(key)
        reports.add(at: child.place, found: found(), expected: expected(), fix: fix())
    }

    /// Gives up on finding unknown keys, where an error leaves open which keys there may be.
    func acceptOthers() { acceptsOthers = true }

    private func reportUnknown() {
        guard !acceptsOthers else { return }
        for member in node.members ?? [] where !known.contains(member.key) {
            // The keys it already has are no suggestion: what was meant is one that is not there yet.
            let missing = known.filter { node[$0] == nil }
            let near = nearestMatch(to: member.key, among: missing).map { "did you mean '\($0)'?" }
            let merge = "YAML 1.2 has no merge keys: write the members out"
            reports.add(
                at: member.node.place, found: "the unknown key '\(member.key)'",
                expected: "one of \(known.uniqued.joined(separator: ", "))",
                fix: member.key == "<<" ? merge : near)
        }
    }
}

extension [String] {
    /// The first of each, in order.
    fileprivate var uniqued: [String] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
