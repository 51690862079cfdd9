import BelfryModel
import Yams

extension ConfigurationNode {
    /// Reads one YAML document; what is wrong with it goes to `reports`.
    ///
    /// - Returns: nil when there is no tree at all: a syntax error, or a document without content.
    static func compose(_ text: String, file: ConfigurationFile, reports: ConfigurationReports)
        -> ConfigurationNode?
    {
        let text = text.withoutByteOrderMark.withoutSurrogatePairs
        guard !YAMLAliases.mayHangParser(in: text) else {
            reports.add(
                file: file, found: "many aliases, and keys that are aliases, lists or mappings",
                expected: "text as key",
                fix: "write the keys out")
            return nil
        }
        do {
            // The encoding is named because the default can be changed by the environment.
            let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            guard let root = try parser.singleRoot(), root.scalar?.string != "" else {
                reports.add(
                    file: file, found: "a file without content",
                    expected: "a mapping with the configuration's keys",
                    fix: "write the configuration there; 'belfry config schema' describes it")
                return nil
            }
            var composer = Composer(file: file, reports: reports, limit: max(100_000, 4 * text.utf8.count))
            return composer.node(root, at: composer.place(root.mark, parent: nil, step: nil))
        } catch let error as YamlError {
            reports.add(error, in: file, text: text)
        } catch {
            reports.add(
                file: file, found: "YAML that cannot be read: \(error)", expected: "a YAML 1.2 document")
        }
        return nil
    }
}

extension String {
    /// YAML allows one; the parser takes it for a column.
    var withoutByteOrderMark: String {
        unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
    }
}

/// Turns the parser's tree into ours.
private struct Composer {
    let file: ConfigurationFile
    let reports: ConfigurationReports
    /// How many nodes may still be made: aliases of aliases make a small file an endless tree.
    var limit: Int
    private var hasReportedLimit = false

    init(file: ConfigurationFile, reports: ConfigurationReports, limit: Int) {
        (self.file, self.reports, self.limit) = (file, reports, limit)
    }

    func place(_ mark: Mark?, parent: Place?, step: Place.Step?) -> Place {
        Place(file: file, line: mark?.line ?? 1, column: mark?.column ?? 1, parent: parent, step: step)
    }

    mutating func node(_ node: Node, at place: Place) -> ConfigurationNode {
        limit -= 1
        guard limit > 0 else { return refuseSize(at: place) }
        switch node {
        case .scalar(let scalar):
            return ConfigurationNode(.scalar(text: scalar.string, value: value(scalar, place)), at: place)
        case .sequence(let sequence): return list(sequence, at: place)
        case .mapping(let mapping): return map(mapping, at: place)
        // The parser puts the anchor's node in the place of each alias.
        case .alias: return ConfigurationNode(.scalar(text: "", value: .null), at: place)
        }
    }

    private mutating func list(_ sequence: Node.Sequence, at place: Place) -> ConfigurationNode {
        var items: [ConfigurationNode] = []
        for (index, item) in sequence.enumerated() where limit > 0 {
            items.append(node(item, at: self.place(item.mark, parent: place, step: .position(index))))
        }
        return ConfigurationNode(.list(items), at: place)
    }

    private mutating func map(_ mapping: Node.Mapping, at place: Place) -> ConfigurationNode {
        var members: [ConfigurationNode.Member] = []
        var seen: Set<String> = []
        for (keyNode, item) in mapping where limit > 0 {
            guard let key = keyNode.scalar?.string else {
                reports.add(
                    at: self.place(keyNode.mark, parent: place, step: nil),
                    found: "a key that is a list or a mapping",
                    expected: "text as key")
                continue
            }
            let memberPlace = self.place(keyNode.mark, parent: place, step: .key(key))
            // The parser refuses two equal keys; it thinks 1 and "1" are different.
            guard seen.insert(key).inserted else {
                reports.addDuplicate(key, at: memberPlace)
                continue
            }
            members.append(.init(key: key, node: node(item, at: memberPlace)))
        }
        return ConfigurationNode(.map(members), at: place)
    }

    private func value(_ scalar: Node.Scalar, _ place: Place) -> Value {
        let tag = scalar.tag.description
        if ["!", "tag:yaml.org,2002:str"].contains(tag) { return .text(scalar.string) }
        let value = scalar.style == .plain ? plainValue(scalar, place) : .text(scalar.string)
        if tag.isEmpty || Self.isTag(tag, of: value) { return value }
        reports.add(at: place, found: "the tag '\(tag)'", expected: "a value without a tag", fix: "remove the tag")
        return .text(scalar.string)
    }

    private func plainValue(_ scalar: Node.Scalar, _ place: Place) -> Value {
        do throws(CoreSchema.Refusal) {
            return try CoreSchema.value(of: scalar.string)
        } catch {
            reports.addUnreadable(
                at: place, found: "the number \(scalar.string)", expected: error.expected,
                fix: "put it in quotes if it is meant as text")
            return .null
        }
    }

    /// Whether a tag says what a value is without it.
    private static func isTag(_ tag: String, of value: Value) -> Bool {
        switch (tag, value) {
        case ("tag:yaml.org,2002:int", .integer), ("tag:yaml.org,2002:float", .integer),
            ("tag:yaml.org,2002:float", .number), ("tag:yaml.org,2002:bool", .bool),
            ("tag:yaml.org,2002:null", .null):
            true
        default: false
        }
    }

    private mutating func refuseSize(at place: Place) -> ConfigurationNode {
        if !hasReportedLimit {
            reports.add(
                at: place, found: "aliases that repeat more than the file has",
                expected: "a configuration of moderate size",
                fix: "use fewer aliases of aliases")
        }
        hasReportedLimit = true
        return ConfigurationNode(.scalar(text: "", value: .null), at: place)
    }
}

extension ConfigurationReports {
    fileprivate func addDuplicate(_ key: String, at place: Place) {
        add(
            at: place, found: "the key '\(key)' more than once in one mapping", expected: "each key once",
            fix: "remove one of them, or join what they say")
    }

    /// A syntax error, in the words of the parser and with what usually causes it.
    fileprivate func add(_ error: YamlError, in file: ConfigurationFile, text: String) {
        func report(_ problem: String, line: Int, column: Int, fix: String) {
            add(
                at: Place(file: file, line: line, column: column), found: "a YAML error: \(problem)",
                expected: "a YAML 1.2 document", fix: fix)
        }
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let words = context.map { "\(problem) (\($0.text), line \($0.mark.line))" } ?? problem
            let isTooDeep = problem.hasPrefix("Maximum nesting level")
            report(
                isTooDeep ? "more than 1,000 levels" : words, line: mark.line, column: mark.column,
                fix: isTooDeep ? "look for '[' and '{' that are not closed" : Self.fix(problem))
        case .reader(let problem, let offset, _, _):
            let lines = text.prefix(offset ?? 0).split(
                omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            report(
                problem, line: lines.count, column: 1 + (lines.last?.unicodeScalars.count ?? 0),
                fix: "remove the character")
        case .duplicatedKeysInMapping(let keys, let context):
            let place = Place(file: file, line: context.mark.line, column: context.mark.column)
            for key in keys {
                addDuplicate(
                    key, at: Place(file: file, line: place.line, column: place.column, step: .key(key)))
            }
        default:
            add(file: file, found: "YAML that cannot be read: \(error)", expected: "a YAML 1.2 document")
        }
    }

    private static func fix(_ problem: String) -> String {
        switch problem {
        case "found undefined alias": "define the anchor ('&name') above its alias ('*name')"
        case "but found another document": "keep one document: remove what follows '---'"
        case "found character that cannot start any token":
            "indent with spaces, not tabs; quote a value that begins with @ or `"
        case "mapping values are not allowed in this context":
            "put a text that contains ': ' in quotes, or mind the indentation"
        default:
            "look at this line and the one above: indentation, a missing ':' or an unclosed quote or bracket"
        }
    }
}
