// The types of a parameter. The protocol is this plugin's own copy, so these conformances are seen by no other image.

extension Bool: ParameterValue {
    public static var shape: ParameterShape { ParameterShape(type: BELFRY_PARAMETER_BOOLEAN) }
    public var asDefault: ParameterDefault { .value(.bool(self)) }

    public static func decode(_ source: ParameterSource) throws(StrategyError) -> Bool {
        guard source.kind == BELFRY_BOOLEAN else { throw source.mismatch("true or false") }
        return source.value.pointee.integer != 0
    }
}

extension Int: ParameterValue {
    public static var shape: ParameterShape { ParameterShape(type: BELFRY_PARAMETER_INTEGER) }
    public var asDefault: ParameterDefault { .value(.integer(Int64(self))) }

    public static func decode(_ source: ParameterSource) throws(StrategyError) -> Int {
        guard let integer = Value(source.value).integer else { throw source.mismatch("a whole number") }
        return Int(integer)
    }
}

extension Double: ParameterValue {
    public static var shape: ParameterShape { ParameterShape(type: BELFRY_PARAMETER_NUMBER) }
    public var asDefault: ParameterDefault { .value(.number(self)) }

    public static func decode(_ source: ParameterSource) throws(StrategyError) -> Double {
        guard let number = Value(source.value).number else { throw source.mismatch("a number") }
        return number
    }
}

extension String: ParameterValue {
    public static var shape: ParameterShape { ParameterShape(type: BELFRY_PARAMETER_TEXT) }
    public var asDefault: ParameterDefault { .value(.text(self)) }

    public static func decode(_ source: ParameterSource) throws(StrategyError) -> String {
        guard source.kind == BELFRY_TEXT, let text = String(belfry: source.value.pointee.text) else {
            throw source.mismatch("text")
        }
        return text
    }
}

extension Template: ParameterValue {
    public static var shape: ParameterShape { String.shape }

    public static func decode(_ source: ParameterSource) throws(StrategyError) -> Template {
        let text = try String.decode(source)
        do throws(Template.Fault) {
            return try Template(text)
        } catch {
            let name = String(belfry: source.value.pointee.key).map { "'\($0)' has " } ?? ""
            throw StrategyError("\(name)\(error.found); \(error.fix)")
        }
    }
}

extension Duration: ParameterValue {
    public static var shape: ParameterShape { ParameterShape(type: BELFRY_PARAMETER_DURATION) }
    public var asDefault: ParameterDefault { .duration(self) }

    public static func decode(_ source: ParameterSource) throws(StrategyError) -> Duration {
        guard source.kind == BELFRY_DURATION else { throw source.mismatch("a duration such as 90s") }
        return Duration(milliseconds: source.value.pointee.integer)
    }
}

extension Value: ParameterValue {
    public static var shape: ParameterShape { ParameterShape(type: BELFRY_PARAMETER_ANY) }
    public var asDefault: ParameterDefault { isNull ? .none : .value(self) }

    public static func decode(_ source: ParameterSource) throws(StrategyError) -> Value {
        Value(source.value)
    }
}

extension ParameterChoice {
    public static var shape: ParameterShape {
        ParameterShape(type: BELFRY_PARAMETER_CHOICE, choices: allCases.map(\.rawValue))
    }
    public var asDefault: ParameterDefault { .value(.text(rawValue)) }

    public static func decode(_ source: ParameterSource) throws(StrategyError) -> Self {
        guard let choice = try Self(rawValue: String.decode(source)) else {
            throw source.mismatch("one of \(allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }
}

extension Optional: ParameterValue where Wrapped: ParameterValue {
    public static var shape: ParameterShape {
        var shape = Wrapped.shape
        shape.isOptional = true
        shape.isRequired = false
        return shape
    }
    public var asDefault: ParameterDefault { self?.asDefault ?? .none }

    public static func decode(_ source: ParameterSource) throws(StrategyError) -> Wrapped? {
        source.kind == BELFRY_NULL ? nil : try Wrapped.decode(source)
    }

    public static func decodeNothing(host: Host) throws(StrategyError) -> Wrapped? { nil }
}

extension Array: ParameterValue where Element: ParameterValue {
    /// A list of lists is described as a list of anything: the host's descriptions go one list deep.
    public static var shape: ParameterShape {
        var shape = Element.shape
        if shape.isList { shape = ParameterShape(type: BELFRY_PARAMETER_ANY) }
        shape.isList = true
        return shape
    }

    public var asDefault: ParameterDefault {
        var values: [Value] = []
        for element in self {
            guard case .value(let value) = element.asDefault else { return .none }
            values.append(value)
        }
        return .value(.list(values))
    }

    public static func decode(_ source: ParameterSource) throws(StrategyError) -> [Element] {
        guard source.kind == BELFRY_LIST else { throw source.mismatch("a list") }
        var elements: [Element] = []
        for index in source.items.indices {
            elements.append(
                try Element.decode(ParameterSource(value: source.items.baseAddress! + index, host: source.host)))
        }
        return elements
    }
}
