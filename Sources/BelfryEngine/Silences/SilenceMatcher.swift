import BelfryModel

/// One thing that a silence demands of a candidate: a matcher of Alertmanager (docs/silences.md).
public struct SilenceMatcher: Sendable {
    /// What is looked at. What a candidate lacks is the empty text.
    public enum Property: Sendable, Hashable {
        case campaign, group, tag, region, subject, channel
        /// A value in the data of the signal.
        case data([String])
    }

    public enum Comparison: String, Sendable, CaseIterable {
        case equal = "="
        case notEqual = "!="
        case matches = "=~"
        case doesNotMatch = "!~"
    }

    public let property: Property
    public let comparison: Comparison
    /// The text, or pattern, that is compared with.
    public let text: String
    private let pattern: Condition.Pattern?

    /// Why a text is no matcher.
    public struct Fault: Error, Sendable, Hashable {
        public var found: String
        public var expected: String
        public var fix: String?
    }

    /// - Throws: if the text is to be a pattern and is none.
    public init(_ property: Property, _ comparison: Comparison, _ text: String) throws(Fault) {
        (self.property, self.comparison, self.text) = (property, comparison, text)
        switch comparison {
        case .equal, .notEqual: pattern = nil
        case .matches, .doesNotMatch: pattern = try Self.pattern(text)
        }
    }

    private static func pattern(_ text: String) throws(Fault) -> Condition.Pattern {
        do throws(Condition.Pattern.Failure) {
            // By itself first: `a)|(b` would do with the anchors around it.
            _ = try Condition.Pattern(text, ignoringCase: false)
            return try Condition.Pattern(#"\A(?:\#(text))\z"#, ignoringCase: false)
        } catch {
            throw Fault(
                found: "the pattern '\(text)', which does not compile: \(error.reason)",
                expected: "a regular expression, such as promo-.*", fix: nil)
        }
    }

    /// Whether it holds for something that has none of these, or several: a tag is any of a campaign's tags.
    public func holds(for values: [String]) -> Bool {
        let values = values.isEmpty ? [""] : values
        return switch comparison {
        case .equal: values.contains { $0.isSameText(as: text) }
        case .notEqual: !values.contains { $0.isSameText(as: text) }
        case .matches: values.contains { pattern!.matches($0) }  // these two have one
        case .doesNotMatch: !values.contains { pattern!.matches($0) }
        }
    }

    /// Whether it holds for what is missing. A silence of nothing but these would silence everything.
    public var holdsForNothing: Bool { holds(for: []) }
}

// MARK: As text

extension SilenceMatcher: CustomStringConvertible {
    /// As Alertmanager writes it: `campaign=~"promo-.*"`.
    public var description: String {
        let quoted = text.flatMap { "\\\"".contains($0) ? "\\\($0)" : $0 == "\n" ? "\\n" : "\($0)" }
        return "\(property)\(comparison.rawValue)\"\(String(quoted))\""
    }

    /// Reads `campaign=~"promo-.*"` or `tag!=urgent`.
    public init(parsing text: String) throws(Fault) {
        guard let sign = text.firstIndex(where: { "=!".contains($0) }),
            let comparison = Self.comparisons.first(where: { text[sign...].hasPrefix($0.rawValue) })
        else {
            throw Fault(
                found: "'\(text)', which compares nothing", expected: "a matcher such as campaign=~\"promo-.*\"",
                fix: "write a property, then =, !=, =~ or !~, then a text")
        }
        let property = try Property(named: text[..<sign].trimmed)
        let rest = text[sign...].dropFirst(comparison.rawValue.count)
        try self.init(property, comparison, Self.unquoted(rest.trimmed, in: text))
    }

    /// The longer ones first.
    private static let comparisons: [Comparison] = [.matches, .notEqual, .doesNotMatch, .equal]

    private static func unquoted(_ text: String, in whole: String) throws(Fault) -> String {
        guard text.contains("\"") else { return text }
        guard text.utf8.count > 1, text.hasPrefix("\""), text.hasSuffix("\""),
            let inner = unescaped(text.dropFirst().dropLast())
        else {
            throw Fault(
                found: "'\(whole)', whose quotes do not match", expected: "a text in quotes, or one without any",
                fix: "close the quote, and write \\\" for one inside")
        }
        return inner
    }

    /// Nil where a quote ends it, or a backslash stands before nothing. Before a letter other than n a backslash is the pattern's.
    private static func unescaped(_ text: Substring) -> String? {
        var result = ""
        var rest = text
        while let character = rest.popFirst() {
            if character == "\"" { return nil }
            guard character == "\\" else {
                result.append(character)
                continue
            }
            guard let next = rest.popFirst() else { return nil }
            switch next {
            case "\\", "\"": result.append(next)
            case "n": result.append("\n")
            default: result += "\\\(next)"
            }
        }
        return result
    }
}

extension SilenceMatcher.Property: CustomStringConvertible {
    private static let names = ["campaign", "group", "tag", "region", "subject", "channel"]

    public init(named name: String) throws(SilenceMatcher.Fault) {
        switch name {
        case "campaign": self = .campaign
        case "group": self = .group
        case "tag": self = .tag
        case "region": self = .region
        case "subject": self = .subject
        case "channel": self = .channel
        case let name where name.hasPrefix("data.") && name.utf8.count > 5:
            self = .data(name.split(separator: ".").dropFirst().map(String.init))
        // amtool knows letters, digits and underscores only.
        case let name where name.hasPrefix("data_") && name.utf8.count > 5: self = .data([String(name.dropFirst(5))])
        default:
            let known = Self.names + ["data.<key>"]
            throw SilenceMatcher.Fault(
                found: "the unknown property '\(name)'", expected: "one of \(known.joined(separator: ", "))",
                fix: nearestMatch(to: name, among: known).map { "did you mean '\($0)'?" })
        }
    }

    public var description: String {
        switch self {
        case .campaign: "campaign"
        case .group: "group"
        case .tag: "tag"
        case .region: "region"
        case .subject: "subject"
        case .channel: "channel"
        case .data(let path): "data.\(path.joined(separator: "."))"
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var rest = self
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
