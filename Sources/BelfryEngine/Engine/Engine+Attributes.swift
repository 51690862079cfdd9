import BelfryModel

extension Engine {
    /// Does what a signal about attributes says.
    func changeAttributes(_ event: Signal.Event, _ moment: borrowing Moment) {
        switch event {
        case .attributesSet(let scope, let values): setAttributes(scope, values, moment)
        case .attributesUpdated(let scope, let values): updateAttributes(scope, values, moment)
        case .attributesDeleted(let scope, let keys): deleteAttributes(scope, keys, moment)
        case .deviceRegistered(let attributes): register(attributes, moment)
        default: break
        }
    }

    private func setAttributes(_ scope: Signal.Scope, _ values: Fields, _ moment: borrowing Moment) {
        change(scope, moment) { $0 = values.entries.contains { $0.value.isNull } ? values.withoutNulls : values }
    }

    private func updateAttributes(_ scope: Signal.Scope, _ values: Fields, _ moment: borrowing Moment) {
        change(scope, moment) { $0.merge(values) }
    }

    private func deleteAttributes(_ scope: Signal.Scope, _ keys: [String], _ moment: borrowing Moment) {
        change(scope, moment) { $0.merge(keys.lazy.map { ($0, nil) }) }
    }

    private func change(_ scope: Signal.Scope, _ moment: borrowing Moment, _ change: (inout Fields) -> Void) {
        switch (scope, moment.channel) {
        case (.user, _): change(&moment.record.user)
        case (.channel, let channel?): moment.record.updateChannel(channel) { change(&$0.attributes) }
        case (.channel, nil): break  // refused when it was decoded
        }
    }

    /// The automatic channel attributes: merged by key, null clears; out of reach of set and deleted.
    private func register(_ attributes: Fields, _ moment: borrowing Moment) {
        guard let channel = moment.channel else { return }
        moment.record.updateChannel(channel, isRegistered: true) { $0.automatic.merge(attributes) }
    }
}

// MARK: Room

extension Engine {
    /// How many bytes the attributes of a user may have in a record, and how many all channels with theirs: it does not grow for ever.
    static let attributeLimit = 1 << 20

    /// Why the attributes that a signal brings cannot be kept; nil if they can. What makes a record smaller always can.
    func checkRoom(
        for values: Fields, of scope: Signal.Scope, _ signal: Signal, _ record: borrowing SubjectRecord
    ) -> SignalFault? {
        let former = record.attributeSize(of: scope)
        // Nearly always there is room whatever the values replace, and nothing has to be tried. A channel may be new, and is the last one then.
        let most = former + values.mostStored + 2 * (Fields.mostOfHead + (signal.channel?.utf8.count ?? 0))
        if most <= Self.attributeLimit { return nil }
        let size = attributeSize(of: scope, after: signal, record)
        if size <= max(Self.attributeLimit, former) { return nil }
        return SignalFault(code: .invalidAttribute, message: Self.noRoom(for: size, scope))
    }

    /// Tried on a copy.
    private func attributeSize(
        of scope: Signal.Scope, after signal: Signal, _ record: borrowing SubjectRecord
    ) -> Int {
        var copy = record.copy()
        withUnsafeMutablePointer(to: &copy) {
            let moment = Moment(
                lent: LentRecord($0), now: signal.time, time: signal.time, cause: signal.cause, channel: signal.channel)
            changeAttributes(signal.event, moment)
        }
        return copy.attributeSize(of: scope)
    }

    private static func noRoom(for size: Int, _ scope: Signal.Scope) -> String {
        let what = scope == .user ? "attributes of the user" : "channels with their attributes"
        return "the subject's \(what) would have \(size) bytes; expected at most \(attributeLimit)"
    }
}

extension SubjectRecord {
    /// How many bytes the attributes of the user have in the record, or all channels with theirs.
    func attributeSize(of scope: Signal.Scope) -> Int {
        block.range(of: scope == .user ? .attributes : .channels).count
    }
}

extension Fields {
    fileprivate var withoutNulls: Fields { Fields(entries.filter { !$0.value.isNull }.map { ($0.key, $0.value) }) }

    /// Takes over what `other` says, key by key; null removes.
    fileprivate mutating func merge(_ other: Fields) {
        merge(other.entries.lazy.map { ($0.key, $0.value.isNull ? nil : $0.value) })
    }
}

extension Fields {
    /// What a list, a text or a number has at most besides its content: a kind, and a length or the number.
    static let mostOfHead = 16

    /// At least as many bytes as they have in a record.
    fileprivate var mostStored: Int {
        entries.reduce(Self.mostOfHead) { $0 + Self.mostOfHead + $1.key.utf8.count + $1.value.mostStored }
    }
}

extension Value {
    fileprivate var mostStored: Int {
        switch self {
        case .text(let text): Fields.mostOfHead + text.utf8.count
        case .list(let values): values.reduce(Fields.mostOfHead) { $0 + $1.mostStored }
        case .map(let fields): Fields.mostOfHead + fields.mostStored
        default: Fields.mostOfHead
        }
    }
}
