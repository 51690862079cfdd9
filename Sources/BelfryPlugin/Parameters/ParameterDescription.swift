/// What the host is told of one parameter.
struct ParameterDescription {
    var name: String
    var summary: String
    var unit: String?
    var shape: ParameterShape
    var isRequired: Bool
    var range: ParameterRange?
    var defaultValue: ParameterDefault
    var replaces: [String]

    /// The root description of a strategy, whose name and summary are the strategy's.
    init(root shape: ParameterShape) {
        self.init(
            name: "", summary: "", unit: nil, shape: shape, isRequired: shape.isRequired, range: nil,
            defaultValue: .none, replaces: [])
    }

    init(
        name: String, summary: String, unit: String?, shape: ParameterShape, isRequired: Bool, range: ParameterRange?,
        defaultValue: ParameterDefault, replaces: [String]
    ) {
        self.name = name
        self.summary = summary
        self.unit = unit
        self.shape = shape
        self.isRequired = isRequired && !shape.isOptional
        self.range = range
        self.defaultValue = defaultValue
        self.replaces = replaces
    }
}

extension ParameterDescription {
    func write(to arena: Arena) -> belfry_parameter {
        var parameter = belfry_parameter()
        parameter.name = arena.text(name)
        parameter.summary = arena.text(summary)
        parameter.unit = arena.text(unit)
        parameter.type = shape.type
        parameter.flags = flags
        parameter.minimum = range?.minimum ?? 0
        parameter.maximum = range?.maximum ?? 0
        parameter.default_value = writeDefault(to: arena)
        parameter.choices = arena.copy(shape.choices.map(arena.text))
        parameter.choice_count = UInt64(shape.choices.count)
        parameter.replaces = arena.copy(replaces.map(arena.text))
        parameter.replaces_count = UInt64(replaces.count)
        parameter.members = arena.copy(shape.members.map { $0.write(to: arena) })
        parameter.member_count = UInt64(shape.members.count)
        return parameter
    }

    private var flags: UInt32 {
        (isRequired ? BELFRY_PARAMETER_REQUIRED : 0)
            | (shape.isList ? BELFRY_PARAMETER_IS_LIST : 0)
            | (range?.minimum != nil ? BELFRY_PARAMETER_HAS_MINIMUM : 0)
            | (range?.maximum != nil ? BELFRY_PARAMETER_HAS_MAXIMUM : 0)
    }

    private func writeDefault(to arena: Arena) -> UnsafePointer<belfry_value>? {
        switch defaultValue {
        case .none: return nil
        case .value(let value): return arena.copy([arena.value(value)])
        case .duration(let duration):
            var value = belfry_value()
            value.kind = BELFRY_DURATION
            value.integer = duration.milliseconds
            return arena.copy([value])
        }
    }
}
