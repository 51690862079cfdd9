/// What the native handler of an action takes: `viewProduct(sku: string, price: double, quantity: int = 1)`.
///
/// The name is that of the action type and may be left out. Each parameter is a field of the action, or, without a type, one
/// of the two things that IBM MCE hands over: `action`, the whole action, and `payload`, the notification. What each becomes in
/// C is in `belfry/actions.h`.
public struct ActionSignature: Sendable, Hashable {
    /// The action type; nil where the signature leaves it out.
    public let name: String?
    public let parameters: [Parameter]

    public enum Parameter: Sendable, Hashable {
        /// The whole action, a mapping with `type`.
        case action
        /// The notification, a mapping as in `notification.created`.
        case payload
        case field(Field)
    }

    /// One field of the action, handed over as a value of its own.
    public struct Field: Sendable, Hashable {
        public let name: String
        public let type: FieldType
        /// What a missing field stands for; nil: the field is required.
        public let fallback: Argument?
    }

    public enum FieldType: String, Sendable, Hashable, CaseIterable {
        case bool, int, double, string
        /// Base64 (RFC 4648, section 4) in JSON.
        case bytes
        /// RFC 3339 in JSON.
        case instant
    }

    /// What a parameter is in one call.
    public enum Argument: Sendable, Hashable {
        case action, payload
        case bool(Bool)
        case int(Int64)
        case double(Double)
        /// Without U+0000.
        case string(String)
        case bytes([UInt8])
        case instant(Instant)
    }

    /// Far more than an author wants to write as arguments of a function.
    public static let mostParameters = 32

    init(name: String?, parameters: [Parameter]) {
        self.name = name
        self.parameters = parameters
    }

    /// The fields it names, in their order.
    public var fields: [Field] {
        parameters.compactMap { if case .field(let field) = $0 { field } else { nil } }
    }
}

extension ActionSignature: CustomStringConvertible {
    /// As it would be written, without needless blanks.
    public var description: String { "\(name ?? "")(\(parameters.map(\.description).joined(separator: ", ")))" }
}

extension ActionSignature.Parameter: CustomStringConvertible {
    public var description: String {
        switch self {
        case .action: "action"
        case .payload: "payload"
        case .field(let field): "\(field.name): \(field.type)" + (field.fallback.map { " = \($0.literal)" } ?? "")
        }
    }
}

extension ActionSignature.Argument {
    /// The JSON that the argument was made of.
    fileprivate var literal: String {
        switch self {
        case .action, .payload: "null"  // no default can be one
        case .bool(let bool): Value.bool(bool).json
        case .int(let int): Value.integer(int).json
        case .double(let double): Value.number(double).json
        case .string(let text): Value.text(text).json
        case .bytes(let bytes): Value.text(Base64.encode(bytes)).json
        case .instant(let instant): Value.text("\(instant)").json
        }
    }
}
