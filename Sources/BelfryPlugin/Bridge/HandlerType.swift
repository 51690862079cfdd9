/// The type of a handler, as far as Swift can tell when the program runs.
///
/// A C function type cannot be generic, so the compiler cannot hold a function against a signature. But the type has a name that
/// can be read: `@convention(c) (Swift.Double, Swift.Int64) -> Swift.Int32`.
struct HandlerType {
    /// Nil: this is no C function.
    private let arguments: [String]?
    private let result: String

    init<Function>(_ type: Function.Type) {
        let name = String(reflecting: type)
        let prefix = ["@convention(c) (", "@convention(c) @Sendable ("].first { name.hasPrefix($0) }
        let rest = name.dropFirst(prefix?.count ?? 0)
        guard prefix != nil, let end = rest.firstIndex(of: ")") else {
            (arguments, result) = (nil, "")
            return
        }
        // No argument of a handler has a comma or a parenthesis in it.
        arguments = rest[..<end].split(separator: ",").map { String($0.drop { $0 == " " }) }
        result = String(rest[end...].dropFirst(") -> ".count))
    }

    /// What differs from the signature, in one sentence; nil: nothing. A signature that is none is for the host to refuse.
    func mismatch(with signature: String) -> String? {
        // Another compiler may write types otherwise: then nothing can be said.
        guard Self.canRead, let parsed = try? ActionSignature(parsing: signature) else { return nil }
        guard let arguments else { return Self.noCFunction(signature) }
        guard let name = parsed.name else {
            return "the signature '\(signature)' has no action type in front of its '('"
        }
        let wanted = parsed.parameters.flatMap(\.cTypes) + [CType("the result", belfry_action_result.self)]
        let place = "the handler of '\(name)'"
        guard arguments.count == wanted.count else {
            return
                "\(place) takes \(arguments.count) arguments; its signature stands for \(wanted.count), the result being the last"
        }
        for (argument, wanted) in zip(arguments, wanted) where !wanted.names.contains(argument) {
            return "\(place) takes \(argument) for \(wanted.what); its signature stands for \(wanted.names[0])"
        }
        guard result == String(reflecting: belfry_status.self) else {
            return "\(place) returns \(result); it should return belfry_status"
        }
        return nil
    }

    static func noCFunction(_ signature: String) -> String {
        "the handler of '\(signature)' is no C function; give it the type '@convention(c) (…) -> belfry_status'"
    }

    private static let canRead =
        String(reflecting: (@convention(c) (Int64, Double) -> Int32).self)
        == "@convention(c) (Swift.Int64, Swift.Double) -> Swift.Int32"
}

/// What one argument may be in Swift.
private struct CType {
    let what: String
    /// The first is the one to recommend.
    let names: [String]

    init<Type>(_ what: String, value: Type.Type, _ others: [String] = []) {
        self.what = what
        names = [String(reflecting: Type.self)] + others
    }

    /// A pointer to it. Whether that may be nil is no difference in C.
    init<Pointee>(_ what: String, _ type: Pointee.Type) {
        self.what = what
        names = [
            String(reflecting: UnsafePointer<Pointee>.self), String(reflecting: UnsafePointer<Pointee>?.self),
        ]
    }
}

extension ActionSignature.Parameter {
    fileprivate var cTypes: [CType] {
        switch self {
        case .action: [CType("the action", belfry_value.self)]
        case .payload: [CType("the payload", belfry_value.self)]
        case .field(let field): field.type.cTypes("'\(field.name)'")
        }
    }
}

extension ActionSignature.FieldType {
    fileprivate func cTypes(_ what: String) -> [CType] {
        switch self {
        case .bool: [CType(what, value: belfry_bool.self)]
        case .int, .instant: [CType(what, value: Int64.self, [String(reflecting: Int.self)])]
        case .double: [CType(what, value: Double.self)]
        case .string: [CType(what, CChar.self)]
        case .bytes:
            [
                CType(what, UInt8.self),
                CType("the length of \(what)", value: UInt64.self, [String(reflecting: UInt.self)]),
            ]
        }
    }
}
