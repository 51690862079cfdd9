/// Something that happened to a subject, decoded and checked for form (docs/signals.md).
public struct Signal: Sendable, Hashable {
    /// Unique within `source` and the subject; nil if the sender gave none.
    public var id: String?
    /// Empty if the sender gave none.
    public var source: String
    /// Empty for `clock.advanced`, which concerns no subject in particular.
    public var subject: String
    /// The longest name of a subject, in bytes of UTF-8: what the index of any database takes.
    public static let longestSubject = 1024
    /// A device of the subject.
    public var channel: String?
    public var time: Instant
    /// What decisions name as their cause: the id, or the number of the input line.
    public var cause: String
    /// As sent, for example `region.entered`.
    public var type: String
    public var event: Event
    /// The whole `data`, for custom events and conditions on `data`.
    public var data: Value?
}

extension Signal {
    // In an extension, so that all members are set at once: one that sets them one by one, as large as this is, leaves a copy behind.
    public init(
        id: String? = nil, source: String = "", subject: String, channel: String? = nil, time: Instant,
        cause: String? = nil, type: String, event: Event, data: Value? = nil
    ) {
        self.init(
            id: id, source: source, subject: subject, channel: channel, time: time, cause: cause ?? id ?? "",
            type: type, event: event, data: data)
    }
}

extension Signal {
    /// Whether it says that time passes for every subject.
    public var isTick: Bool { event == .clockAdvanced }

    public enum Event: Sendable, Hashable {
        /// Degrees; `accuracy` in m.
        case located(latitude: Double, longitude: Double, accuracy: Double?)
        case entered(region: String)
        case exited(region: String)
        /// `distance` in m.
        case ranged(uuid: String, major: Int, minor: Int, distance: Double?)
        case requested(Request)
        case deletionRequested(campaign: String)
        case opened(notification: String, button: String?)
        case dismissed(notification: String)
        case foregrounded, backgrounded
        case sessionStarted, sessionEnded
        case attributesSet(Scope, Fields)
        case attributesUpdated(Scope, Fields)
        case attributesDeleted(Scope, [String])
        case deviceRegistered(Fields)
        case enabled, disabled, reset
        case historyCleared(HistoryList)
        case clockAdvanced
        case custom
    }

    /// Whose attributes.
    public enum Scope: String, Sendable, CaseIterable {
        case user, channel
    }

    public enum HistoryList: String, Sendable, CaseIterable {
        case notifications, geotriggers
    }
}
