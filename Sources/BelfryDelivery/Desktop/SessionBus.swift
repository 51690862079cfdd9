import BelfryModel
import CSystemd
import Glibc

/// A connection to the bus of the session that this process runs in. One thread at a time.
final class SessionBus {
    private let bus: OpaquePointer
    /// How long a call may take.
    private let timeout: Duration

    /// Where that is: DBUS_SESSION_BUS_ADDRESS, or else what the system's library takes for it.
    ///
    /// - Throws: there is none, or it does not answer.
    init(timeout: Duration) throws(BusFault) {
        var bus: OpaquePointer?
        let code = sd_bus_open_user(&bus)
        guard code >= 0, let bus else { throw .noBus(-code) }
        (self.bus, self.timeout) = (bus, timeout)
    }

    deinit { sd_bus_close_unref(bus) }

    var isOpen: Bool { sd_bus_is_open(bus) > 0 }

    /// Another one each time that a bus is started: 16 bytes, known after the first call.
    var id: [UInt8] {
        var id = sd_id128_t()
        sd_bus_get_bus_id(bus, &id)
        return withUnsafeBytes(of: id) { Array($0) }
    }

    /// Readable when there may be something for `next`.
    var descriptor: Int32 { sd_bus_get_fd(bus) }

    // MARK: Messages

    /// - Parameters:
    ///   - destination: a name on the bus.
    ///   - write: puts the arguments in.
    /// - Returns: the answer.
    func call(
        _ member: String, at service: BusService, destination: String? = nil, _ write: (BusMessage) -> Void = { _ in }
    ) throws(BusFault) -> BusMessage {
        var request: OpaquePointer?
        sd_bus_message_new_method_call(
            bus, &request, destination ?? service.name, service.path, service.interface, member)
        guard let request else { throw .noBus(ENOTCONN) }
        let message = BusMessage(owning: request)
        write(message)
        return try answer(to: message)
    }

    private func answer(to message: BusMessage) throws(BusFault) -> BusMessage {
        var (error, reply): (sd_bus_error, OpaquePointer?) = (sd_bus_error(), nil)
        defer { sd_bus_error_free(&error) }
        let code = sd_bus_call(bus, message.raw, UInt64(timeout.milliseconds) * 1000, &error, &reply)
        if code >= 0, let reply { return BusMessage(owning: reply) }
        guard isOpen else { throw .lost }
        throw BusFault(error, code: -code, timeout)
    }

    /// The next message that is no reply to a call; nil: there is none now.
    func next() throws(BusFault) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let code = sd_bus_process(bus, &message)
            guard code >= 0 else { throw .lost }
            if let message { return BusMessage(owning: message) }
            if code == 0 { return nil }
        }
    }
}

/// What is called: a name on the bus, an object there, and one of its interfaces.
struct BusService {
    let name: String
    let path: String
    let interface: String
}
