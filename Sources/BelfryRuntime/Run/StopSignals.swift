import CLinux
import Glibc

/// SIGTERM and SIGINT as events of a run: the first one asks it to finish its batch and to end, a second one ends it at
/// once, whatever it is doing. Either way nothing is lost.
///
/// The signals belong to the process, so there is one of these at a time. A handler and not a blocked signal, which would
/// have to be blocked in every thread that libraries and plugins have started.
public final class StopSignals: RunEvents, Sendable {
    public let descriptor: Int32

    /// From here on the first of the signals does not end the process.
    public init() { descriptor = belfry_note_stop_signals() }

    deinit { belfry_forget_stop_signals() }

    public func next() -> RunEvent? {
        var number: UInt64 = 0
        guard read(descriptor, &number, MemoryLayout.size(ofValue: number)) > 0 else { return nil }
        return .stop(number == UInt64(SIGTERM) ? "SIGTERM" : "SIGINT")
    }
}
