import CLinux
import Glibc

/// What a service tells its supervisor (sd_notify(3)); nothing where there is none.
enum SystemdNotice {
    static func send(_ state: String) {
        guard let place = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), !place.isEmpty else { return }
        belfry_notify(place, state)
    }
}
