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

/// Why a call has no answer.
struct BusFault: Error {
    /// The end of a sentence that begins with the name of the called service.
    let why: String
    /// Whether the called service is not there any more, or says no; the connection is good.
    var isAnswer = false

    static let lost = BusFault(why: "is gone: the bus of the session has closed the connection")

    /// - Parameter code: an errno.
    static func noBus(_ code: Int32) -> BusFault {
        if code == ENOMEDIUM {
            return BusFault(
                why:
                    "cannot be reached: DBUS_SESSION_BUS_ADDRESS is not set; start belfry within a desktop's session, or set it to that of its bus"
            )
        }
        let reason = String(cString: strerror(code))
        return BusFault(
            why: "cannot be reached: \(reason); DBUS_SESSION_BUS_ADDRESS is to be that of a session that goes on")
    }

    private init(why: String, isAnswer: Bool = false) { (self.why, self.isAnswer) = (why, isAnswer) }

    init(_ error: sd_bus_error, code: Int32, _ timeout: Duration) {
        let name = error.name.map { String(cString: $0) } ?? ""
        let text = error.message.map { String(cString: $0) } ?? String(cString: strerror(code))
        if ["ServiceUnknown", "NameHasNoOwner"].contains(where: { name == "org.freedesktop.DBus.Error.\($0)" }) {
            self.init(
                why: "has no notification service; start one in its session, such as dunst", isAnswer: true)
        } else if code == ETIMEDOUT {
            self.init(why: "does not answer within \(timeout)")
        } else {
            self.init(why: "says: \(text)", isAnswer: true)
        }
    }
}

/// A message that is written or read argument by argument.
final class BusMessage {
    let raw: OpaquePointer

    init(owning raw: OpaquePointer) { self.raw = raw }

    deinit { sd_bus_message_unref(raw) }

    var sender: String { sd_bus_message_get_sender(raw).map { String(cString: $0) } ?? "" }
    var member: String { sd_bus_message_get_member(raw).map { String(cString: $0) } ?? "" }

    func write(_ text: String) { sd_bus_message_append_basic(raw, Self.type("s"), text) }

    func write(_ number: UInt32) {
        withUnsafePointer(to: number) { _ = sd_bus_message_append_basic(raw, Self.type("u"), $0) }
    }

    func write(_ number: Int32) {
        withUnsafePointer(to: number) { _ = sd_bus_message_append_basic(raw, Self.type("i"), $0) }
    }

    func write(_ byte: UInt8) {
        withUnsafePointer(to: byte) { _ = sd_bus_message_append_basic(raw, Self.type("y"), $0) }
    }

    /// - Parameters:
    ///   - kind: `a` for an array, `e` for an entry of a dictionary, `v` for a variant.
    ///   - contents: the type of what is in it.
    func write(_ kind: Unicode.Scalar, of contents: String, _ body: () -> Void) {
        sd_bus_message_open_container(raw, Self.type(kind), contents)
        body()
        sd_bus_message_close_container(raw)
    }

    /// Nil if the next argument is none.
    func readNumber() -> UInt32? {
        var number: UInt32 = 0
        return sd_bus_message_read_basic(raw, Self.type("u"), &number) > 0 ? number : nil
    }

    func readText() -> String? {
        var text: UnsafePointer<CChar>?
        return sd_bus_message_read_basic(raw, Self.type("s"), &text) > 0 ? text.map { String(cString: $0) } : nil
    }

    func readTexts() -> [String] {
        guard sd_bus_message_enter_container(raw, Self.type("a"), "s") > 0 else { return [] }
        var texts: [String] = []
        while let text = readText() { texts.append(text) }
        return texts
    }

    private static func type(_ letter: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: letter.value) }
}
