import BelfryModel

/// What the parts of a configuration refer to in each other, looked up before they are read in earnest.
///
/// From the tree, not from what was read: an entry with a mistake in it is still there for those who name it.
struct DeclaredNames {
    let entries: KnownNames
    let groups: KnownNames
    let regions: KnownNames
    let categories: KnownNames
    /// The declared region fields, lower case, and how they are spelled.
    let fields: [String: String]
    let fieldNames: [String]
    /// The regions that are beacons.
    let beacons: Set<String>

    init(root: ConfigurationNode, isComplete: Bool) {
        func ids(_ list: String, _ key: String = "id", or other: String? = nil) -> [String] {
            (root[list]?.items ?? []).compactMap { item in
                (item[key] ?? other.flatMap { item[$0] })?.value.text
            }
        }
        entries = KnownNames("chain entry", ids("chain", or: "strategy"), isComplete: isComplete)
        groups = KnownNames("group", ids("groups"), isComplete: isComplete)
        regions = KnownNames("region", ids("regions"), isComplete: isComplete)
        categories = KnownNames("category", ids("categories"), isComplete: isComplete)
        fieldNames = (root["fields"]?.items ?? []).compactMap { $0.value.text }
        fields = Dictionary(fieldNames.map { ($0.lowercased(), $0) }) { first, _ in first }
        let beacons = (root["regions"]?.items ?? []).filter { $0["kind"]?.value.text == "beacon" }
        self.beacons = Set(beacons.compactMap { $0["id"]?.value.text })
    }

    /// A text with placeholders that are declared fields, in any case, or `region`.
    func template(isComplete: Bool) -> Rule<String> {
        Rule<String>.text.then { text, node, reports in
            do throws(Template.Fault) {
                for name in try Template(text).placeholders where !isKnown(placeholder: name) && isComplete {
                    report(placeholder: name, at: node.place, reports)
                }
            } catch {
                reports.add(
                    at: node.place, found: error.found, expected: "text with balanced braces", fix: error.fix)
            }
            return text
        }
    }

    private func isKnown(placeholder name: String) -> Bool {
        ["region", "count"].contains(name.lowercased()) || fields[name.lowercased()] != nil
    }

    private func report(placeholder name: String, at place: Place, _ reports: ConfigurationReports) {
        let known = fieldNames + ["region", "count"]
        let near = nearestMatch(to: name, among: known).map { "did you mean '{\($0)}'?" }
        reports.add(
            at: place, found: "the placeholder '{\(name)}', which is no declared field",
            expected: "one of \(known.map { "{\($0)}" }.joined(separator: ", "))",
            fix: near ?? "declare it in 'fields', or write '{{' and '}}' for braces")
    }
}
