import BelfryModel
import CSystemd
import Glibc

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
