import CBelfryCore
import Synchronization

/// Where plugins' words go while a core is open.
///
/// A plugin is set up once in a process, for the first core that loads it, and keeps the host that it got then. So what it says
/// goes to the log of that core, and, once that is closed, to that of the core which has been open for longest.
final class CoreLog: Sendable {
    /// Of all open cores, in the order in which they were opened. Locked while something is written: a log that was closed is not
    /// written to.
    private static let open = Mutex<[CoreLog]>([])

    // The program that opens a core says that any thread may write to it.
    nonisolated(unsafe) private let sink: belfry_core_sink
    private let core = Mutex<UInt?>(nil)

    init(_ sink: belfry_core_sink) {
        self.sink = sink
        Self.open.withLock { $0.append(self) }
    }

    static func of(_ core: OpaquePointer) -> CoreLog? {
        open.withLock { $0.first { $0.core.withLock { $0 } == UInt(bitPattern: core) } }
    }

    func belongs(to core: OpaquePointer) { self.core.withLock { $0 = UInt(bitPattern: core) } }

    func close() { Self.open.withLock { $0.removeAll { $0 === self } } }

    func write(_ message: String) {
        Self.open.withLock { open in
            guard let log = open.first(where: { $0 === self }) ?? open.first else { return }
            withUnsafePointer(to: log.sink) { Optional($0).write(message) }
        }
    }
}
