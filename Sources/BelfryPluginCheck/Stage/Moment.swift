import BelfryModel

/// A subject at an instant, and what happens there.
struct Moment {
    static let channel = "phone"
    /// Where the time of every check begins: 2026-03-02T09:00:00Z.
    static let start = Instant(milliseconds: 1_772_442_000_000)

    var subject = "ana"
    var time = start
    var campaign = "sale"
    /// Whether the subject enters the region, rather than a notification being asked for.
    var isEntry = false

    /// What makes the engine ask about a candidate.
    var signal: Signal {
        isEntry
            ? signal(.entered(region: "store"), "region.entered")
            : signal(.requested(Signal.Request(campaign: campaign)), "notification.requested")
    }

    /// What is known of the subject before anything happens.
    var introduction: [Signal] {
        [
            signal(.deviceRegistered(["timeZone": "Europe/Amsterdam", "osVersion": "17.2"]), "device.registered"),
            signal(.attributesSet(.user, ["tier": "gold", "age": 44, "firstName": "Ana"]), "attributes.set"),
        ]
    }

    /// Out of the region, so that it can be entered again.
    var exit: (event: Signal.Event, type: String) { (.exited(region: "store"), "region.exited") }

    private func signal(_ event: Signal.Event, _ type: String) -> Signal {
        Signal(subject: subject, channel: Self.channel, time: time, cause: "check", type: type, event: event)
    }
}
