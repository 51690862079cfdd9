import Glibc

/// The types of signals that Belfry itself knows; all others are custom.
package enum SignalType: String, CaseIterable {
    case located = "location.updated"
    case entered = "region.entered"
    case exited = "region.exited"
    case ranged = "beacon.ranged"
    case requested = "notification.requested"
    case opened = "notification.opened"
    case dismissed = "notification.dismissed"
    case foregrounded = "app.foregrounded"
    case backgrounded = "app.backgrounded"
    case sessionStarted = "session.started"
    case sessionEnded = "session.ended"
    case attributesSet = "attributes.set"
    case attributesUpdated = "attributes.updated"
    case attributesDeleted = "attributes.deleted"
    case registered = "device.registered"
    case enabled = "subject.enabled"
    case disabled = "subject.disabled"
    case reset = "subject.reset"
    case historyCleared = "history.cleared"
    case clockAdvanced = "clock.advanced"
}

/// Finds a type by the bytes of its name, with a text of it that is made once.
struct SignalTypes {
    private let names = SignalType.allCases.map { (type: $0, text: $0.rawValue, bytes: Array($0.rawValue.utf8)) }

    func find(_ utf8: UnsafeBufferPointer<UInt8>) -> (type: SignalType, text: String)? {
        guard let start = utf8.baseAddress else { return nil }
        // Borrowed: to copy one is to count the references of its bytes and text.
        let names = names.span
        for index in names.indices where names[index].bytes.count == utf8.count {
            if memcmp(names[index].bytes, start, utf8.count) == 0 { return (names[index].type, names[index].text) }
        }
        return nil
    }
}
