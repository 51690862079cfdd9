import Glibc

/// Tells the supervisor that the run goes on, twice in each interval that it gives (sd_notify(3), WATCHDOG_USEC).
///
/// What is told is the truth: the run is asked to look at its events, and only when it has done so since the last time is it alive.
struct Watchdog: Sendable {
    private let engine: ServiceEngine
    private let interval: Swift.Duration

    /// Nil where no supervisor watches.
    init?(_ engine: ServiceEngine, environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
        guard let text = environment("WATCHDOG_USEC"), let interval = Int64(text), interval > 0 else { return nil }
        if let process = environment("WATCHDOG_PID"), Int32(process) != getpid() { return nil }
        (self.engine, self.interval) = (engine, .microseconds(interval))
    }

    /// Until it is cancelled.
    func run() async {
        var looks = engine.looks
        while !Task.isCancelled {
            engine.askToLook()
            try? await Task.sleep(for: interval / 2)
            // A store that cannot be opened is tried again by itself.
            if engine.looks != looks || engine.state != .ready { SystemdNotice.send("WATCHDOG=1") }
            looks = engine.looks
        }
    }
}
