import CBelfry

/// Checks of the fields that a strategy declares its state by: the host stores, shows and copies a state by them alone.
extension Findings {
    mutating func checkFields(_ strategy: belfry_strategy, _ subject: String) {
        guard canRead(strategy.field_count, isMissing: strategy.fields == nil, "the number of fields of \(subject)")
        else { return }
        var (names, places): (Set<String>, [(range: Range<UInt64>, name: String)]) = ([], [])
        for (index, field) in UnsafeBufferPointer(start: strategy.fields, count: Int(strategy.field_count)).enumerated()
        {
            let name = text(field.name, "the name of field \(index + 1) of \(subject)", required: true)
            let noun = "field '\(name ?? String(index + 1))' of \(subject)"
            if let name, !names.insert(name).inserted { note(.contradiction, "\(subject) has two fields '\(name)'") }
            _ = text(field.summary, "the summary of \(noun)")
            _ = text(field.unit, "the unit of \(noun)")
            guard let place = place(of: field, strategy.state_size, noun) else { continue }
            if let other = places.first(where: { $0.range.overlaps(place) }) {
                note(.contradiction, "\(noun) lies where field '\(other.name)' lies")
            }
            places.append((place, name ?? String(index + 1)))
        }
    }

    private mutating func place(of field: belfry_field, _ size: UInt64, _ noun: String) -> Range<UInt64>? {
        guard let type = FieldType(rawValue: field.type) else {
            note(.contradiction, "\(noun): its type \(field.type) is none that this host knows", fix: rebuildFix)
            return nil
        }
        if field.flags & ~BELFRY_FIELD_OPTIONAL != 0 {
            note(.contradiction, "\(noun) has flags that this host does not know", fix: rebuildFix)
        }
        let isOptional = field.flags & BELFRY_FIELD_OPTIONAL != 0
        if isOptional, !type.mayBeAbsent {
            note(.contradiction, "\(noun) cannot be optional: an empty one says as much")
        }
        let count = type.bytes + (isOptional && type.mayBeAbsent && type != .boolean ? 1 : 0)
        guard field.offset % (type == .boolean ? 1 : 8) == 0 else {
            note(.contradiction, "\(noun) lies at byte \(field.offset), which is no multiple of 8")
            return nil
        }
        guard field.offset <= size, count <= size - field.offset else {
            note(.contradiction, "\(noun) lies at byte \(field.offset), beyond the \(size) bytes of the state")
            return nil
        }
        return field.offset..<field.offset + count
    }

    /// What a field is, as in the contract.
    private enum FieldType: UInt32 {
        case boolean = 1
        case integer, number, instant, duration, text, integers, instants

        var bytes: UInt64 {
            switch self {
            case .boolean: 1
            case .integer, .number, .instant, .duration: 8
            case .text, .integers, .instants: 16
            }
        }

        var mayBeAbsent: Bool { bytes < 16 }
    }
}
