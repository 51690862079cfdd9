extension ActionSignature {
    /// An action that does not fit its handler: everything that is wrong with it, in one sentence.
    public struct Mismatch: Error, Sendable, Hashable {
        public let sentence: String
    }

    /// The fields of an action, as what the handler gets: one for each parameter.
    public func arguments(from action: Fields) throws(Mismatch) -> [Argument] {
        var arguments: [Argument] = []
        var problems: [String] = []
        for parameter in parameters {
            switch parameter {
            case .action: arguments.append(.action)
            case .payload: arguments.append(.payload)
            case .field(let field):
                do throws(Misfit) {
                    arguments.append(try field.argument(from: action))
                } catch {
                    problems.append(error.phrase)
                }
            }
        }
        problems += unknownFields(of: action)
        guard problems.isEmpty else {
            throw Mismatch(sentence: "the action does not fit \(self): \(problems.joined(separator: "; "))")
        }
        return arguments
    }

    /// An action that is taken as a whole may have any field.
    private func unknownFields(of action: Fields) -> [String] {
        guard !parameters.contains(.action) else { return [] }
        let known = fields.map(\.name)
        let absent = known.filter { action[$0] == nil }
        return action.keys.filter { $0 != "type" && !known.contains($0) }.map { key in
            let near = nearestMatch(to: key, among: absent).map { ", did you mean '\($0)'?" } ?? ""
            return "it takes no '\(key)'\(near)"
        }
    }
}

/// Why a field is no argument.
private struct Misfit: Error {
    let phrase: String
}

extension ActionSignature.Field {
    /// A field that is null is one that is missing.
    fileprivate func argument(from action: Fields) throws(Misfit) -> ActionSignature.Argument {
        guard let value = action[name], !value.isNull else {
            if let fallback { return fallback }
            throw Misfit(phrase: "'\(name)' is missing, expected \(type.noun)")
        }
        guard let argument = ActionSignature.Argument(value, as: type) else {
            throw Misfit(phrase: "'\(name)' is \(value.found), expected \(type.expected(insteadOf: value))")
        }
        return argument
    }
}

extension ActionSignature.FieldType {
    /// What a value of this type is, in words.
    var noun: String {
        switch self {
        case .bool: "true or false"
        case .int: "a whole number"
        case .double: "a number"
        case .string: "text"
        case .bytes: "base64 text"
        case .instant: "an RFC 3339 time, such as 2026-03-02T09:00:00Z"
        }
    }

    func expected(insteadOf value: Value) -> String {
        self == .string && value.text != nil ? "text without U+0000" : noun
    }
}

extension ActionSignature.Argument {
    /// Nil if the value is not of that type. A whole number is a double too, and 2.0 is a whole number.
    init?(_ value: Value, as type: ActionSignature.FieldType) {
        switch type {
        case .bool: self.init(value.bool, Self.bool)
        case .int: self.init(value.integer, Self.int)
        case .double: self.init(value.number, Self.double)
        // In C the text would end at the zero.
        case .string: self.init(value.text.flatMap { $0.utf8.contains(0) ? nil : $0 }, Self.string)
        case .bytes: self.init(value.text.flatMap { Base64.decode($0.utf8) }, Self.bytes)
        case .instant: self.init(value.text.flatMap { Instant(rfc3339: $0) }, Self.instant)
        }
    }

    private init?<Content>(_ content: Content?, _ make: (Content) -> Self) {
        guard let content else { return nil }
        self = make(content)
    }
}

extension Value {
    /// What an error message calls this value. Of a long text only the beginning.
    fileprivate var found: String {
        switch self {
        case .text(let text) where text.utf8.contains(0): "text with U+0000 in it"
        case .text(let text): "the text '\(text.count > 40 ? text.prefix(39) + "…" : text[...])'"
        case .integer, .number: "the number \(json)"
        case .bool: json
        case .null, .list, .map: kindName
        }
    }
}
