import CBelfry

/// Checks of a parameter description: everything else that the host does with it rests on its not
/// contradicting itself.
extension Findings {
    /// Descriptions refer to each other by pointers, which a broken plugin may have made a ring.
    private static let deepest = 16

    /// `owner` is the strategy or filter, as a sentence calls it.
    package mutating func checkParameters(_ root: UnsafePointer<belfry_parameter>, of owner: String) {
        checkParameter(root, "the parameters of \(owner)", depth: 0)
        if root.pointee.replaces_count > 0 {
            note(.contradiction, "the parameters of \(owner) replace others, but there are none beside them")
        }
    }

    private mutating func checkParameter(
        _ parameter: UnsafePointer<belfry_parameter>, _ subject: String, depth: Int
    ) {
        guard let type = ParameterType(rawValue: parameter.pointee.type), type != .none || depth == 0 else {
            note(
                .contradiction,
                "\(subject): its type \(parameter.pointee.type) is none that this host knows here",
                fix: rebuildFix)
            return
        }
        if parameter.pointee.flags & ~ParameterFlags.known != 0 {
            note(.contradiction, "\(subject): it has flags that this host does not know", fix: rebuildFix)
        }
        _ = text(parameter.pointee.summary, "the summary of \(subject)")
        _ = text(parameter.pointee.unit, "the unit of \(subject)")
        checkRange(parameter, type, subject)
        checkChoices(parameter, type, subject)
        checkMembers(parameter, type, subject, depth: depth)
        // A default is looked at only when what it is compared with holds.
        checkDefault(parameter, type, subject)
    }

    private mutating func checkRange(
        _ parameter: UnsafePointer<belfry_parameter>, _ type: ParameterType, _ subject: String
    ) {
        let range = ParameterRange(parameter)
        guard range.minimum != nil || range.maximum != nil else { return }
        if !type.hasRange, !parameter.pointee.isList {
            note(.contradiction, "\(subject): it has a range, but \(type.noun) has none")
        }
        if let minimum = range.minimum, let maximum = range.maximum, minimum > maximum {
            note(
                .contradiction,
                "\(subject): its minimum \(plain(minimum)) is above its maximum \(plain(maximum))")
        }
        let isList = parameter.pointee.isList
        for bound in [range.minimum, range.maximum].compactMap({ $0 }) {
            if let problem = type.problem(withBound: bound, ofList: isList) {
                note(.contradiction, "\(subject): a bound of its range \(problem)")
            }
        }
        if let minimum = range.minimum, isList || type == .text, minimum > Self.longest {
            note(
                .contradiction,
                "\(subject): its minimum is \(plain(minimum)); at most \(plain(Self.longest)) is allowed")
        }
    }

    /// No text or list has to have more.
    private static let longest = 65_536.0

    private mutating func checkChoices(
        _ parameter: UnsafePointer<belfry_parameter>, _ type: ParameterType, _ subject: String
    ) {
        let choices = names(
            parameter.pointee.choices, parameter.pointee.choice_count, "the choices of \(subject)")
        if type != .choice, parameter.pointee.choice_count > 0 {
            note(.contradiction, "\(subject): it has choices, but it is \(type.noun)")
        }
        if type == .choice, parameter.pointee.choice_count == 0 {
            note(.contradiction, "\(subject): it is a choice without choices")
        }
        if let twice = firstRepeated(choices) {
            note(.contradiction, "\(subject): it has the choice '\(twice)' twice")
        }
    }

    private mutating func checkMembers(
        _ parameter: UnsafePointer<belfry_parameter>, _ type: ParameterType, _ subject: String, depth: Int
    ) {
        let count = parameter.pointee.member_count
        if type == .object, count == 0 { note(.contradiction, "\(subject): it is a mapping without members") }
        if type != .object, count > 0 {
            note(.contradiction, "\(subject): it has members, but it is \(type.noun)")
        }
        guard type == .object,
            canRead(count, isMissing: parameter.pointee.members == nil, "the number of \(subject)"),
            let members = parameter.pointee.members
        else { return }
        guard depth < Self.deepest else {
            note(.contradiction, "\(subject): it is nested more than \(Self.deepest) deep")
            return
        }
        var names: [String] = []
        for index in 0..<Int(count) {
            let name = text(
                members[index].name, "the name of member \(index + 1) of \(subject)", required: true)
            if let name { names.append(name) }
            let prefix = depth == 0 ? "\(subject): " : "\(subject)."
            checkParameter(members + index, prefix + "'\(name ?? String(index + 1))'", depth: depth + 1)
        }
        if let twice = firstRepeated(names) {
            note(.contradiction, "\(subject): the name '\(twice)' occurs twice")
        }
        for index in 0..<Int(count) { checkReplaces(members[index], siblings: names, subject) }
    }

    private mutating func checkReplaces(_ member: belfry_parameter, siblings: [String], _ subject: String) {
        let own = member.name.checkedString ?? ""
        for name in names(member.replaces, member.replaces_count, "'replaces' of '\(own)'") {
            if name == own {
                note(.contradiction, "\(subject): '\(own)' replaces itself")
            } else if !siblings.contains(name) {
                note(.contradiction, "\(subject): '\(own)' replaces '\(name)', which is not among them")
            }
        }
    }

    private mutating func checkDefault(
        _ parameter: UnsafePointer<belfry_parameter>, _ type: ParameterType, _ subject: String
    ) {
        guard let value = parameter.pointee.default_value else { return }
        if parameter.pointee.flags & ParameterFlags.required != 0 {
            note(.contradiction, "\(subject): it is required, so it cannot have a default")
        }
        if let problem = DefaultCheck(parameter: parameter, type: type).problem(with: value) {
            note(.contradiction, "\(subject): its default \(problem)")
        }
    }
}

private func firstRepeated(_ names: [String]) -> String? {
    var seen: Set<String> = []
    return names.first { !seen.insert($0).inserted }
}
