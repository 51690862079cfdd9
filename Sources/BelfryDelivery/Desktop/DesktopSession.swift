import BelfryEngine
import BelfryModel

/// The notification service of a session, and what it shows of ours. One thread at a time.
struct DesktopSession {
    private let id: String
    private let settings: Configuration.Sink.Desktop
    private let timeout: Duration
    private let receive: (@Sendable ([UInt8]) -> Void)?
    private(set) var bus: SessionBus?
    /// Of the last bus that there was.
    private var busID: [UInt8] = []
    /// What may be opened or closed, the oldest first.
    private var shown: [Shown] = []

    private struct Shown {
        /// The service's own name on the bus: another one gives the same numbers.
        let owner: String
        let number: UInt32
        let item: SinkItem
        let notification: String
    }

    /// So many are remembered.
    private static let limit = 1000

    private static let service = BusService(
        name: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
        interface: "org.freedesktop.Notifications")
    private static let daemon = BusService(
        name: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")

    /// - Parameter receive: gets lines of signals.
    init(
        _ id: String, _ settings: Configuration.Sink.Desktop, timeout: Duration,
        receive: (@Sendable ([UInt8]) -> Void)?
    ) {
        (self.id, self.settings, self.timeout, self.receive) = (id, settings, timeout, receive)
    }

    // MARK: Decisions

    /// - Parameter use: called with a new connection before its first call, so that another thread can shut it.
    mutating func deliver(_ item: SinkItem, _ use: (SessionBus) -> Void) -> SinkOutcome {
        let decision = item.decision
        do throws(BusFault) {
            if decision["type"]?.text == Decision.Kind.deleted.rawValue {
                try close(decision, use)
            } else {
                try show(item, decision, use)
            }
            return .taken
        } catch {
            if !error.isAnswer { bus = nil }
            return .failed(error.why)
        }
    }

    private mutating func connected(_ use: (SessionBus) -> Void) throws(BusFault) -> SessionBus {
        if let bus, bus.isOpen { return bus }
        let bus = try SessionBus(timeout: timeout)
        use(bus)
        self.bus = bus
        _ = try bus.call("AddMatch", at: Self.daemon) {
            $0.write("type='signal',path='\(Self.service.path)',interface='\(Self.service.interface)'")
        }
        // On another bus its names are given to others, and nothing of ours is shown.
        if bus.id != busID { (busID, shown) = (bus.id, []) }
        return bus
    }

    private mutating func show(_ item: SinkItem, _ decision: Fields, _ use: (SessionBus) -> Void) throws(BusFault) {
        let bus = try connected(use)
        let capabilities = try bus.call("GetCapabilities", at: Self.service).readTexts()
        let notification = DesktopNotification(decision, settings)
        let answer = try bus.call("Notify", at: Self.service) { notification.write(to: $0, capabilities) }
        guard decision["type"]?.text == Decision.Kind.created.rawValue, let number = answer.readNumber(),
            let name = decision["data"]?.map?["notification"]?.text
        else { return }
        if shown.count == Self.limit { shown.removeFirst() }
        shown.append(Shown(owner: answer.sender, number: number, item: item, notification: name))
    }

    /// One that is not shown any more, or was by an earlier process, needs nothing.
    private mutating func close(_ decision: Fields, _ use: (SessionBus) -> Void) throws(BusFault) {
        guard let subject = decision["subject"]?.text else { return }
        let name = decision["data"]?.map?["notification"]?.text
        let isIt = { (shown: Shown) in shown.item.subject.isSameText(as: subject) && shown.notification == name }
        guard shown.contains(where: isIt) else { return }
        let bus = try connected(use)
        guard let index = shown.firstIndex(where: isIt) else { return }
        do throws(BusFault) {
            _ = try bus.call("CloseNotification", at: Self.service, destination: shown[index].owner) {
                $0.write(shown[index].number)
            }
        } catch  where error.isAnswer {
            // It, or the service that showed it, is gone.
        }
        shown.remove(at: index)
    }

    // MARK: People

    /// Takes what has come.
    mutating func listen() {
        do throws(BusFault) {
            while let message = try bus?.next() { take(message) }
        } catch {
            bus = nil
        }
    }

    private mutating func take(_ message: BusMessage) {
        guard ["ActionInvoked", "NotificationClosed"].contains(message.member), let number = message.readNumber(),
            let index = shown.firstIndex(where: { $0.number == number && $0.owner == message.sender })
        else { return }
        if message.member == "ActionInvoked" {
            let key = message.readText() ?? DesktopNotification.tap
            tell("notification.opened", of: shown.remove(at: index), button: key == DesktopNotification.tap ? nil : key)
        } else if let reason = message.readNumber(), reason != 1 {
            // One that has expired may lie in a history, where it can still be opened.
            let closed = shown.remove(at: index)
            if reason == 2 { tell("notification.dismissed", of: closed) }
        }
    }

    private func tell(_ type: String, of shown: Shown, button: String? = nil) {
        var data: Fields = ["notification": .text(shown.notification)]
        data["button"] = button.map { .text($0) }
        receive?(shown.item.signal(type, from: id, data, part: button))
    }
}
