extension ActionSignature {
    /// Why a text is no signature.
    public struct Malformed: Error, Sendable, Hashable {
        /// Of the Unicode scalar at fault, from 1; one more than there are for something missing at the end.
        public let position: Int
        /// One phrase: `'number' has no type`.
        public let problem: String
        public let fix: String

        /// What is wrong with `text`, which was to be read: `'(action, number)': 'number' has no type, at 10`.
        public func sentence(about text: String) -> String { "'\(text)': \(problem), at \(position)" }
    }

    /// Reads a signature:
    ///
    ///     signature = [type] "(" [parameter *("," parameter)] ")"
    ///     parameter = "action" / "payload" / name ":" fieldtype ["=" literal]
    ///     fieldtype = "bool" / "int" / "double" / "string" / "bytes" / "instant"
    ///
    /// A name has letters, digits, `_`, `-` and `.`, and begins with a letter or `_`. A literal is JSON, what a configuration
    /// would say for that field. Blanks are free.
    public init(parsing text: String) throws(Malformed) {
        var reader = SignatureReader(text)
        self = try reader.signature()
    }
}

private struct SignatureReader {
    /// Scalars, not characters: an accent must not swallow the quote before it.
    private let scalars: [Unicode.Scalar]
    private var index = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func signature() throws(ActionSignature.Malformed) -> ActionSignature {
        let name = take { $0 != "(" }.trimmed
        try expect("(", "it has no '('", fix: "write the parameters in parentheses, as in 'view(sku: string)'")
        var parameters: [ActionSignature.Parameter] = []
        skipBlanks()
        if peek != ")" {
            repeat { parameters.append(try parameter(after: parameters)) } while takeIf(",")
        }
        let found = peek.map { "'\($0)' is neither ',' nor ')'" } ?? "its ')' is missing"
        try expect(")", found, fix: "separate parameters with ',' and end them with ')'")
        skipBlanks()
        if let peek { throw malformed("there is '\(peek)' after its ')'", fix: "end it with ')'") }
        return ActionSignature(name: name.isEmpty ? nil : name, parameters: parameters)
    }

    private mutating func parameter(
        after others: [ActionSignature.Parameter]
    ) throws(ActionSignature.Malformed) -> ActionSignature.Parameter {
        skipBlanks()
        let start = index
        let name = try name()
        guard others.count < ActionSignature.mostParameters else {
            throw malformed(
                "it has more than \(ActionSignature.mostParameters) parameters",
                fix: "take the whole action: '(action)'", at: start)
        }
        skipBlanks()
        let parameter = peek == ":" ? try field(name, at: start) : try whole(name, at: start)
        guard !others.contains(where: { $0.name == parameter.name }) else {
            throw malformed("a second '\(name)'", fix: "name each parameter once", at: start)
        }
        return parameter
    }

    private func whole(_ name: String, at start: Int) throws(ActionSignature.Malformed) -> ActionSignature.Parameter {
        switch name {
        case "action": return .action
        case "payload": return .payload
        default:
            throw malformed("'\(name)' has no type", fix: "write '\(name): TYPE', where TYPE is \(types)", at: start)
        }
    }

    private mutating func field(
        _ name: String, at start: Int
    ) throws(ActionSignature.Malformed) -> ActionSignature.Parameter {
        guard name != "type" else {
            throw malformed("'type' is what the action is called", fix: "name the parameter otherwise", at: start)
        }
        let type = try fieldType()
        skipBlanks()
        let fallback = takeIf("=") ? try literal(type, of: name) : nil
        return .field(ActionSignature.Field(name: name, type: type, fallback: fallback))
    }

    private mutating func fieldType() throws(ActionSignature.Malformed) -> ActionSignature.FieldType {
        index += 1
        skipBlanks()
        let start = index
        let word = take(while: Self.isInName)
        if let type = ActionSignature.FieldType(rawValue: word) { return type }
        let near = nearestMatch(to: word, among: ActionSignature.FieldType.allCases.map(\.rawValue))
        throw malformed(
            word.isEmpty ? "the type is missing" : "there is no type '\(word)'",
            fix: near.map { "did you mean '\($0)'?" } ?? "write \(types)", at: start)
    }

    private mutating func name() throws(ActionSignature.Malformed) -> String {
        let start = index
        let name = take(while: Self.isInName)
        guard let first = name.unicodeScalars.first, first.properties.isAlphabetic || first == "_" else {
            throw malformed(
                "a parameter is missing", fix: "write 'name: TYPE', 'action' or 'payload'", at: start)
        }
        return name
    }

    private static func isInName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "_-.".unicodeScalars.contains(scalar)
    }

    private let types = "bool, int, double, string, bytes or instant"

    // MARK: Defaults

    private mutating func literal(
        _ type: ActionSignature.FieldType, of name: String
    ) throws(ActionSignature.Malformed) -> ActionSignature.Argument {
        skipBlanks()
        let start = index
        let text = literalText()
        guard let value = Value(scalarJSON: text) else {
            throw malformed(
                text.isEmpty ? "the default of '\(name)' is missing" : "'\(text)' is no JSON value",
                fix: "write \(type.noun)\(type.isQuoted ? " in double quotes" : ""), as in JSON", at: start)
        }
        guard let argument = ActionSignature.Argument(value, as: type) else {
            throw malformed(
                "the default of '\(name)' is \(text), expected \(type.expected(insteadOf: value))",
                fix: "give '\(name)' a default of its type, or none", at: start)
        }
        return argument
    }

    /// A text to its closing quote, anything else to where the parameter ends.
    private mutating func literalText() -> String {
        guard peek == "\"" else { return take { $0 != "," && $0 != ")" }.trimmed }
        let start = index
        index += 1
        while let scalar = peek, scalar != "\"" { index += scalar == "\\" ? 2 : 1 }
        index = min(index + 1, scalars.count)
        return String(String.UnicodeScalarView(scalars[start..<index]))
    }

    // MARK: Scalars

    private var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        let start = index
        while let scalar = peek, condition(scalar) { index += 1 }
        return String(String.UnicodeScalarView(scalars[start..<index]))
    }

    private mutating func skipBlanks() { _ = take(while: \.properties.isWhitespace) }

    /// Takes the scalar if it comes next, after blanks.
    private mutating func takeIf(_ scalar: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard peek == scalar else { return false }
        index += 1
        return true
    }

    private mutating func expect(
        _ scalar: Unicode.Scalar, _ problem: String, fix: String
    ) throws(ActionSignature.Malformed) {
        if !takeIf(scalar) { throw malformed(problem, fix: fix) }
    }

    private func malformed(_ problem: String, fix: String, at position: Int? = nil) -> ActionSignature.Malformed {
        ActionSignature.Malformed(position: (position ?? index) + 1, problem: problem, fix: fix)
    }
}

extension ActionSignature.FieldType {
    /// Whether its values are texts in JSON.
    fileprivate var isQuoted: Bool {
        switch self {
        case .bool, .int, .double: false
        case .string, .bytes, .instant: true
        }
    }
}

extension ActionSignature.Parameter {
    fileprivate var name: String {
        switch self {
        case .action: "action"
        case .payload: "payload"
        case .field(let field): field.name
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        let front = drop(while: \.isWhitespace)
        return String(front.reversed().drop(while: \.isWhitespace).reversed())
    }
}
