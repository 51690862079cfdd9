import CLinux
import Glibc

/// What a service tells the one that supervises it (sd_notify(3)); nothing where nobody listens.
enum SystemdNotice {
    static func send(_ state: String) {
        guard let place = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), !place.isEmpty else { return }
        belfry_notify(place, state)
    }
}
