import BelfryModel

/// Reads the `data` of a signal, by its type.
struct DataReader {
    let type: String
    let channel: String?
    let data: JSONElement?

    /// - Parameter known: nil for a custom type.
    func event(_ known: SignalType?) throws(SignalReject) -> Signal.Event {
        if let data, !data.isObject { throw .invalid("data", found: data.value, expected: "an object") }
        switch known {
        case .located: return try located()
        case .entered: return .entered(region: try text("region"))
        case .exited: return .exited(region: try text("region"))
        case .ranged: return try ranged()
        case .requested: return try requested()
        case .opened: return .opened(notification: try text("notification"), button: try optionalText("button"))
        case .dismissed: return .dismissed(notification: try text("notification"))
        case .foregrounded: return .foregrounded
        case .backgrounded: return .backgrounded
        case .sessionStarted: return .sessionStarted
        case .sessionEnded: return .sessionEnded
        case .attributesSet: return .attributesSet(try scope(), try attributes("values"))
        case .attributesUpdated: return .attributesUpdated(try scope(), try attributes("values"))
        case .attributesDeleted: return .attributesDeleted(try scope(), try keys())
        case .registered: return try registered()
        case .enabled: return .enabled
        case .disabled: return .disabled
        case .reset: return .reset
        case .historyCleared: return .historyCleared(try choice("list", or: nil))
        case .clockAdvanced: return .clockAdvanced
        case nil: return .custom
        }
    }

    private func located() throws(SignalReject) -> Signal.Event {
        let accuracy =
            try member("accuracy") == nil
            ? nil : number("accuracy", 0...Double.greatestFiniteMagnitude, "metres, 0 or more")
        return .located(
            latitude: try number("latitude", -90...90, "degrees, -90 to 90"),
            longitude: try number("longitude", -180...180, "degrees, -180 to 180"), accuracy: accuracy)
    }

    private func ranged() throws(SignalReject) -> Signal.Event {
        let distance =
            try member("distance") == nil
            ? nil : number("distance", 0...Double.greatestFiniteMagnitude, "metres, 0 or more")
        return .ranged(
            uuid: try text("uuid"), major: try identifier("major"), minor: try identifier("minor"), distance: distance)
    }

    private func requested() throws(SignalReject) -> Signal.Event {
        let campaign = try text("campaign")
        // Nearly every request names its campaign and nothing else.
        guard data?.count != 1 else { return .requested(Signal.Request(campaign: campaign)) }
        if let delete = member("delete") {
            guard let delete = delete.bool else {
                throw .invalid("data.delete", found: delete.value, expected: "true or false")
            }
            if delete { return .deletionRequested(campaign: campaign) }
        }
        return .requested(
            Signal.Request(
                campaign: campaign, title: try optionalText("title"), message: try optionalText("message"),
                data: member("data")?.value, key: try optionalText("key"), category: try category()))
    }

    private func category() throws(SignalReject) -> Signal.Category? {
        guard let data, member("category") != nil || member("buttons") != nil, let data = data.value.map else {
            return nil
        }
        do throws(Signal.Category.Malformation) {
            return try Signal.Category(in: data)
        } catch {
            throw SignalReject(error)
        }
    }

    private func registered() throws(SignalReject) -> Signal.Event {
        guard channel != nil else { throw .missing("channel", "device.registered says which device by its 'channel'") }
        guard member("attributes") != nil else { return .deviceRegistered(Fields()) }
        let attributes = try attributes("attributes")
        if let buttons = attributes["supportsButtons"], !buttons.isNull, buttons.bool == nil {
            throw .invalid("data.attributes.supportsButtons", found: buttons, expected: "true or false")
        }
        return .deviceRegistered(attributes)
    }

    /// The engine reads `timeZone`, of a user as of a channel: a signal that gives it something else than text is rejected.
    private func attributes(_ name: StaticString) throws(SignalReject) -> Fields {
        let attributes = try fields(name)
        if let zone = attributes["timeZone"], !zone.isNull, zone.text == nil {
            throw .invalid("data.\(name).timeZone", found: zone, expected: "an IANA name such as Europe/Amsterdam")
        }
        return attributes
    }

    private func scope() throws(SignalReject) -> Signal.Scope {
        let scope: Signal.Scope = try choice("scope", or: channel == nil ? .user : .channel)
        if scope == .channel, channel == nil {
            throw .missing("channel", "the scope is channel, so say which one by 'channel'")
        }
        return scope
    }

    private func keys() throws(SignalReject) -> [String] {
        guard let value = member("keys")?.value else {
            throw .missing("data.keys", "the names of the attributes to delete")
        }
        let keys = value.list?.compactMap(\.text)
        guard let keys, keys.count == value.list?.count else {
            throw .invalid("data.keys", found: value, expected: "a list of texts")
        }
        return keys
    }
}

// MARK: Members

extension DataReader {
    /// Null is as good as absent.
    private func member(_ name: StaticString) -> JSONElement? {
        guard let value = data?.member(name), !value.isNull else { return nil }
        return value
    }

    private func required(_ name: StaticString) throws(SignalReject) -> JSONElement {
        guard let value = member(name) else { throw .missing("data.\(name)", "\(type) needs it") }
        return value
    }

    private func optionalText(_ name: StaticString) throws(SignalReject) -> String? {
        guard let value = member(name) else { return nil }
        guard let text = value.text else { throw .invalid("data.\(name)", found: value.value, expected: "text") }
        return text
    }

    private func text(_ name: StaticString) throws(SignalReject) -> String {
        let value = try required(name)
        guard let text = value.text, !text.isEmpty else {
            throw .invalid("data.\(name)", found: value.value, expected: "text that is not empty")
        }
        return text
    }

    private func number(
        _ name: StaticString, _ range: ClosedRange<Double>, _ expected: String
    ) throws(SignalReject) -> Double {
        let value = try required(name).value
        guard let number = value.number, range.contains(number) else {
            throw .invalid("data.\(name)", found: value, expected: expected)
        }
        return number
    }

    /// The 16 bits of a beacon's major or minor.
    private func identifier(_ name: StaticString) throws(SignalReject) -> Int {
        let value = try required(name).value
        guard let integer = value.integer, (0...65_535).contains(integer) else {
            throw .invalid("data.\(name)", found: value, expected: "a whole number, 0 to 65535")
        }
        return Int(integer)
    }

    private func fields(_ name: StaticString) throws(SignalReject) -> Fields {
        let value = try required(name).value
        guard let fields = value.map else { throw .invalid("data.\(name)", found: value, expected: "an object") }
        return fields
    }

    private func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: StaticString, or fallback: Choice?
    ) throws(SignalReject) -> Choice {
        if member(name) == nil, let fallback { return fallback }
        let value = try required(name).value
        guard let choice = value.text.flatMap(Choice.init(rawValue:)) else {
            throw .invalid(
                "data.\(name)", found: value, expected: Choice.allCases.map(\.rawValue).joined(separator: " or "))
        }
        return choice
    }
}
