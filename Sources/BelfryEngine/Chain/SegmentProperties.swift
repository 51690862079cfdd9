import BelfryModel

/// What a segment sees: bare properties are attributes of the channel, else of the user; `user.x`, `channel.x` and
/// `history.<campaign>.count` choose.
struct SegmentProperties: ConditionProperties {
    private let lent: LentRecord
    /// The channel of the signal; without one, the channel registered last stands in.
    private let channel: String?

    init(_ record: LentRecord, channel: String?) { (lent, self.channel) = (record, channel) }

    func value(at path: [String]) -> Value? {
        switch path.first {
        case "user" where path.count > 1: user(path.dropFirst())
        case "channel" where path.count > 1: attribute(path.dropFirst())
        case "history" where path.count > 2: history(path.dropFirst())
        default: attribute(path[...]) ?? user(path[...])
        }
    }

    func passes(_ test: any Condition.Test, named name: UTF8Text) -> Bool {
        // Most subjects have no channel.
        if lent.record.hasChannels { return test.holds(for: value(at: [name.text]) ?? .null) }
        guard let view = lent.record.userAttribute(name) else { return test.holds(for: .null) }
        return test.holds(at: view)
    }

    /// All attributes of the user or of the channel; nil without a channel.
    func attributes(of root: String) -> Value? {
        if root == "user" { return .map(lent.record.user) }
        guard let channel = lent.record.channel(for: channel) else { return nil }
        var fields = channel.attributes
        for entry in channel.automatic.entries { fields[entry.key] = entry.value }
        return .map(fields)
    }

    private func user(_ path: ArraySlice<String>) -> Value? { lent.record.user.value(at: path) }

    private func attribute(_ path: ArraySlice<String>) -> Value? {
        guard let channel = lent.record.channel(for: channel) else { return nil }
        return channel.automatic.value(at: path) ?? channel.attributes.value(at: path)
    }

    /// The last part is `count` or `lastAt`; what is before it is the campaign's id, which may have dots.
    private func history(_ path: ArraySlice<String>) -> Value? {
        let tally = lent.record.tally(of: path.dropLast().joined(separator: "."))
        return switch path.last {
        case "count": .integer(tally?.count ?? 0)
        case "lastAt": tally.map { .text($0.lastAt.description) }
        default: nil
        }
    }
}
