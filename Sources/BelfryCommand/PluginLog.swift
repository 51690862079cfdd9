import BelfryEngine
import Synchronization

/// What plugins write to the host's log: warnings and errors reach standard error, each distinct one once.
///
/// A plugin keeps nothing between its calls, so it cannot know that it said the same thing a million times.
final class PluginLog: Sendable {
    private let told = Mutex<Set<String>>([])
    /// As many as the run loop tells of its own.
    private static let limit = 1000

    func write(_ level: HostServices.Level, _ message: String) {
        guard level.rawValue >= HostServices.Level.warning.rawValue else { return }
        let line = message.onOneLine
        let isNew = told.withLock { $0.count < Self.limit && $0.insert(line).inserted }
        if isNew { Console.warn(line) }
    }
}
