import Yams

extension ChainText {
    /// The text with `enabled` of one item set: changed where it is there, added where it is not, in the item's style.
    func settingEnabled(_ item: Int, _ isEnabled: Bool) throws(ChainLayoutProblem) -> String {
        guard let mapping = items[item].mapping else {
            throw ChainLayoutProblem(why: "the entry is no mapping")
        }
        if let value = mapping.first(where: { $0.key.scalar?.string == "enabled" })?.value {
            return try replacing(value, with: "\(isEnabled)")
        }
        // After the id, or else after the name: where one looks first.
        guard
            let anchor = ["id", "strategy"].lazy.compactMap({ key in
                mapping.first { $0.key.scalar?.string == key }
            }).first
        else {
            throw ChainLayoutProblem(why: "the entry has no strategy")
        }
        let isFlow = scalars[starts[item]] == "{"
        return isFlow
            ? try addingFlow(after: anchor.value, like: anchor.key, isEnabled)
            : addingLine(after: anchor, isEnabled)
    }

    private func offset(_ node: Node) -> Int {
        Self.offset(node.mark, lineStarts)
    }

    private func replacing(_ value: Node, with text: String) throws(ChainLayoutProblem) -> String {
        let start = offset(value)
        let old = Array((value.scalar?.string ?? "").unicodeScalars)
        guard !old.isEmpty, scalars[start...].starts(with: old) else {
            throw ChainLayoutProblem(why: "'enabled' is not written as true or false")
        }
        return Self.string(scalars[..<start] + Array(text.unicodeScalars) + scalars[(start + old.count)...])
    }

    /// `{strategy: a}` becomes `{strategy: a, enabled: false}`; with quoted keys, as in JSON, the new one has quotes too.
    private func addingFlow(after value: Node, like key: Node, _ isEnabled: Bool) throws(ChainLayoutProblem)
        -> String
    {
        let end = try flowItem(at: offset(value)).upperBound
        let name = scalars[offset(key)] == "\"" ? "\"enabled\"" : "enabled"
        return Self.string(
            scalars[..<end] + Array(", \(name): \(isEnabled)".unicodeScalars) + scalars[end...])
    }

    /// A line of its own after the one of the key, as deep as the key.
    private func addingLine(after anchor: (key: Node, value: Node), _ isEnabled: Bool) -> String {
        let column = (anchor.key.mark?.column ?? 1) - 1
        let line = String(repeating: " ", count: column) + "enabled: \(isEnabled)"
        let end = lineStarts[self.line(of: offset(anchor.value)) + 1]
        var before = Array(scalars[..<end])
        if before.last != "\n" {
            before += lineEnd + Array(line.unicodeScalars)
        } else {
            before += Array(line.unicodeScalars) + lineEnd
        }
        return Self.string(before + scalars[end...])
    }
}
