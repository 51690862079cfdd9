import BelfryModel

/// What a value has to be, and how it is read.
///
/// - `expected` says so in words, for error messages.
/// - `read` gives the value, or nil after it reported why not.
struct Rule<Result> {
    let expected: String
    let read: (ConfigurationNode, ConfigurationReports) -> Result?

    init(_ expected: String, read: @escaping (ConfigurationNode, ConfigurationReports) -> Result?) {
        (self.expected, self.read) = (expected, read)
    }

    /// A rule about a value alone: where `convert` gives nil, found and expected are reported, with the fix if there is one.
    init(
        _ expected: String, fix: @escaping (Value) -> String? = { _ in nil },
        convert: @escaping (Value) -> Result?
    ) {
        self.init(expected) { node, reports in
            // A list or mapping is no scalar; it is not converted only to be refused.
            let value = node.members == nil && node.items == nil ? node.value : .list([])
            if let result = convert(value) { return result }
            return reports.refuse(node, expected: expected, fix: fix(value))
        }
    }

    /// The same rule with a further look at what it gave.
    func then<Other>(
        _ next: @escaping (Result, ConfigurationNode, ConfigurationReports) -> Other?
    ) -> Rule<Other> {
        Rule<Other>(expected) { [read] node, reports in
            read(node, reports).flatMap { next($0, node, reports) }
        }
    }
}

// MARK: Texts

extension Rule where Result == String {
    /// Any text; a number or boolean is not taken for one.
    static var text: Rule {
        Rule("text", fix: quoteIt) { $0.text }
    }

    /// Text that is not empty.
    static var name: Rule {
        Rule("text that is not empty", fix: quoteIt) { $0.text.flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// A name without a slash: the counter of a trigger is `<campaign>/<trigger>`.
    static var triggerID: Rule {
        Rule("text that is not empty and has no '/'", fix: quoteIt) {
            $0.text.flatMap { $0.isEmpty || $0.contains("/") ? nil : $0 }
        }
    }

    /// Text, or a number as it is written.
    static var textOrNumber: Rule {
        Rule("text") { node, reports in
            if case .scalar(let text, let value) = node.content, value.text != nil || value.number != nil {
                return text
            }
            return reports.refuse(node, expected: "text", fix: Self.quoteIt(node.value))
        }
    }

    private static func quoteIt(_ value: Value) -> String? {
        value.number != nil || value.bool != nil ? "put it in quotes" : nil
    }
}

extension Rule where Result: RawRepresentable & CaseIterable, Result.RawValue == String {
    /// One of the cases of an enumeration, by name.
    static var choice: Rule {
        let names = Result.allCases.map(\.rawValue)
        return Rule(
            "one of \(names.joined(separator: ", "))",
            fix: { value in
                value.text.flatMap { nearestMatch(to: $0, among: names) }.map { "did you mean '\($0)'?" }
            }
        ) { $0.text.flatMap(Result.init(rawValue:)) }
    }
}

// MARK: Other scalars

extension Rule where Result == Bool {
    static var bool: Rule {
        Rule(
            "true or false",
            fix: { value in
                switch value.text {
                case "on", "yes": "write 'true'"
                case "off", "no": "write 'false'"
                default: nil
                }
            }
        ) { $0.bool }
    }
}

extension Rule where Result == Int64 {
    static var whole: Rule { Rule("a whole number") { $0.integer } }
}

extension Rule where Result == Int {
    static func whole(_ range: ClosedRange<Int>) -> Rule {
        Rule("a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
            value.integer.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    static func whole(from least: Int) -> Rule {
        Rule("a whole number from \(least)") { value in
            value.integer.flatMap { Int(exactly: $0) }.flatMap { $0 >= least ? $0 : nil }
        }
    }
}

extension Rule where Result == Double {
    static func number(_ range: ClosedRange<Double>) -> Rule {
        Rule("a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))") { value in
            value.number.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A length or the like: larger than 0.
    static var meters: Rule {
        Rule("a number of metres larger than 0") { value in value.number.flatMap { $0 > 0 ? $0 : nil } }
    }
}

extension Rule where Result == Duration {
    static var duration: Rule {
        Rule(
            "a duration with a unit, such as 90s, 5m or 1h30m",
            fix: { value in
                value.number != nil || value.text.flatMap(Double.init) != nil
                    ? "a bare number has no unit: add ms, s, m, h or d" : nil
            }
        ) { $0.text.flatMap(Duration.init(text:)) }
    }

    static func duration(_ range: ClosedRange<Duration>) -> Rule {
        duration.then { duration, node, reports in
            if range.contains(duration) { return duration }
            return reports.refuse(node, expected: "a duration from \(range.lowerBound) to \(range.upperBound)")
        }
    }
}

extension Rule where Result == ByteSize {
    static var size: Rule {
        Rule(
            "a size with a unit, such as 512MiB",
            fix: { $0.number == nil ? nil : "a bare number has no unit: add MiB or GiB" }
        ) { $0.text.flatMap(ByteSize.init(text:)) }
    }
}

extension Rule where Result == Value {
    /// Whatever YAML can say.
    static var any: Rule {
        Rule("any value") { node, reports in
            if node.depth <= Value.depthLimit { return node.value }
            return reports.refuse(
                node, found: "a value nested \(node.depth) deep",
                expected: "at most \(Value.depthLimit) levels",
                fix: "put it into a text, as JSON for example")
        }
    }

    static var mapping: Rule {
        Rule("a mapping") { node, reports in
            if node.members != nil { return node.value }
            return reports.refuse(node, expected: "a mapping")
        }
    }
}

// MARK: Structure

extension Rule {
    /// A list whose items follow `item`; a key without a value is an empty list. Items that are wrong are left out.
    static func list<Item>(of item: Rule<Item>) -> Rule where Result == [Item] {
        Rule<[ConfigurationNode]>.items.then { items, _, reports in
            items.compactMap { node in
                let item = item.read(node, reports)
                if item == nil { reports.leaveOut(node) }
                return item
            }
        }
    }

    /// A mapping, read key by key.
    static func map(_ body: @escaping (MapReader) -> Result?) -> Rule {
        Rule("a mapping") { node, reports in MapReader.read(node, reports, body) }
    }
}

extension Rule where Result == [ConfigurationNode.Member] {
    /// The members of a mapping, unread.
    static func members(_ expected: String, fix: String? = nil) -> Rule {
        Rule(expected) { node, reports in node.members ?? reports.refuse(node, expected: expected, fix: fix) }
    }
}

extension Rule where Result == [ConfigurationNode] {
    /// The items of a list, unread.
    static var items: Rule {
        Rule("a list") { node, reports in
            if let items = node.items { return items }
            if node.isNull { return [] }
            return reports.refuse(
                node, expected: "a list",
                fix: node.members == nil ? "write it as [ … ]" : "begin each item with '- '")
        }
    }
}
