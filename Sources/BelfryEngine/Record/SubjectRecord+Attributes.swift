import BelfryModel

extension SubjectRecord {
    /// The attributes of the user.
    public internal(set) var user: Fields {
        get {
            if block.isEmpty(.attributes) { return Fields() }
            return Self.sound(.attributes) { () throws(ByteReader.Damage) in
                var reader = ByteReader(block.bytes(of: .attributes))
                return try reader.fields()
            }
        }
        set {
            namesZone = newValue[Self.timeZone.text] != nil
            if newValue.isEmpty { return empty(.attributes) }
            write(.attributes) { $0.fields(newValue) }
        }
    }

    /// The attribute that a subject names a zone by.
    static let timeZone = UTF8Text("timeZone")

    /// One attribute of the user, where it lies; nil if there is none.
    @_lifetime(borrow self)
    func userAttribute(_ name: UTF8Text) -> ValueView? {
        if block.isEmpty(.attributes) { return nil }
        return ValueView(named: name, in: block.bytes(of: .attributes))
    }

    /// A device of the subject.
    public struct Channel: Sendable, Hashable {
        public var id: String
        /// Set by signals.
        public var attributes = Fields()
        /// From `device.registered`; wins over a set one of the same name.
        public var automatic = Fields()
    }

    /// The devices, and the id of the one registered last.
    struct Channels {
        var last: String?
        var all: [Channel] = []
    }

    var hasChannels: Bool { !block.isEmpty(.channels) }

    var channelList: Channels {
        get {
            if block.isEmpty(.channels) { return Channels() }
            return Self.sound(.channels) { () throws(ByteReader.Damage) in
                var reader = ByteReader(block.bytes(of: .channels))
                return try reader.channels()
            }
        }
        set {
            if newValue.all.isEmpty, newValue.last == nil { return empty(.channels) }
            write(.channels) { writer in
                writer.text(newValue.last)
                writer.list(newValue.all) {
                    $0.text($1.id)
                    $0.fields($1.attributes)
                    $0.fields($1.automatic)
                }
            }
        }
    }

    public var channels: [Channel] { channelList.all }

    /// The channel registered last.
    public var lastChannel: String? { channelList.last }

    /// The channel that a decision is about: the signal's, else the one registered last.
    func channel(for id: String?) -> Channel? {
        guard hasChannels else { return nil }
        let channels = channelList
        return (id ?? channels.last).flatMap { id in channels.all.first { $0.id.isSameText(as: id) } }
    }

    /// Changes a channel, which is made if there is none of that id.
    mutating func updateChannel(_ id: String, isRegistered: Bool = false, _ change: (inout Channel) -> Void) {
        var channels = channelList
        let place = channels.all.firstIndex { $0.id.isSameText(as: id) } ?? channels.all.count
        if place == channels.all.count { channels.all.append(Channel(id: id)) }
        change(&channels.all[place])
        if isRegistered { channels.last = id }
        channelList = channels
    }
}

extension ByteReader {
    @_lifetime(self: copy self)
    mutating func channels() throws(Damage) -> SubjectRecord.Channels {
        var channels = SubjectRecord.Channels(last: try optionalText())
        for _ in 0..<(try count()) {
            channels.all.append(
                SubjectRecord.Channel(id: try text(), attributes: try fields(), automatic: try fields()))
        }
        return channels
    }
}
