/// A text with `{placeholders}`; `{{` and `}}` are literal braces.
public struct Template: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case literal(String)
        case placeholder(String)
    }

    let parts: [Part]

    /// Why a text is no template.
    public struct Fault: Error, Sendable, Hashable {
        public var found: String
        public var fix: String
    }

    /// What `{count}` stands for; nil for any other placeholder.
    ///
    /// - Parameter count: how many a digest has collected; 1 without one.
    public static func count(_ placeholder: String, of count: Int) -> String? {
        placeholder.lowercased() == "count" ? String(count) : nil
    }

    public init(_ text: String) throws(Fault) {
        // Most texts are plain; to go through characters takes long.
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else {
            parts = text.isEmpty ? [] : [.literal(text)]
            return
        }
        var parts: [Part] = []
        var literal = ""
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                literal.append(rest.removeFirst())
            case "{":
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = ""
                parts.append(.placeholder(try Self.name(from: &rest, of: text)))
            case "}":
                throw Fault(found: "'}' without its '{' in '\(text)'", fix: "write '}}' for a brace")
            default: literal.append(character)
            }
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        self.parts = parts
    }

    /// Takes the name behind an opening brace, and its closing one.
    private static func name(from rest: inout Substring, of text: String) throws(Fault) -> String {
        guard let end = rest.firstIndex(where: { $0 == "}" || $0 == "{" }), rest[end] == "}" else {
            throw Fault(
                found: "'{' without its '}' in '\(text)'", fix: "close the placeholder, or write '{{' for a brace")
        }
        let name = String(rest[..<end])
        guard !name.isEmpty else {
            throw Fault(
                found: "'{}' without a name in '\(text)'",
                fix: "name what is to stand there, or write '{{}}' for two braces")
        }
        rest = rest[rest.index(after: end)...]
        return name
    }

    /// The names between the braces.
    public var placeholders: [String] {
        parts.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    /// The text, if it is the same for every subject: without placeholders.
    public var literal: String? {
        switch parts.count {
        case 0: ""
        case 1: if case .literal(let text) = parts[0] { text } else { nil }
        default: nil
        }
    }

    /// The text with every placeholder filled; one without a value becomes empty and is reported to `missing`.
    public func filled(_ value: (String) -> String?, missing: (String) -> Void) -> String {
        if parts.count == 1, case .literal(let text) = parts[0] { return text }
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .placeholder(let name):
                if let value = value(name) { text += value } else { missing(name) }
            }
        }
        return text
    }
}
