import BelfryEngine
import Synchronization

/// What plugins write to the host's log: warnings and errors reach standard error, each distinct one once.
///
/// A plugin keeps nothing between its calls, so it cannot know that it said the same thing a million times.
final class PluginLog: Sendable {
    /// By plugin, so that one that says too much mutes no other. There are no more than are loaded.
    private let lines = Mutex<[String?: Lines]>([:])
    /// Of one plugin; as many as the run loop tells of its own.
    private static let limit = 1000
    /// What processes with plugins have told, of which each has a log of its own; nil for one process.
    private let shared: SharedLines?

    init(shared: SharedLines? = nil) { self.shared = shared }

    func write(_ message: HostServices.Message) {
        guard message.level.rawValue >= HostServices.Level.warning.rawValue else { return }
        let line = message.text.onOneLine
        switch lines.withLock({ $0[message.plugin, default: Lines()].add(line) }) {
        case .known: break
        case .new: tell(line, of: message.plugin)
        case .oneTooMany: tell(Self.muting(message.plugin), of: message.plugin)
        }
    }

    private func tell(_ line: String, of plugin: String?) {
        if shared?.add(line, of: plugin) ?? true { Console.warn(line) }
    }

    private static func muting(_ plugin: String?) -> String {
        """
        \(plugin.map { "plugin '\($0)'" } ?? "a plugin") has written \(limit) different warnings; further ones of it are not printed
          why: each different line is printed once, and \(limit) of one plugin at most
          fix: have its author leave out of the text what differs each time, such as names and times
        """
    }

    /// The distinct lines of one plugin.
    private struct Lines {
        enum Addition { case known, new, oneTooMany }

        private var told: Set<String> = []
        private var isMuted = false

        mutating func add(_ line: String) -> Addition {
            if isMuted || told.contains(line) { return .known }
            guard told.count < PluginLog.limit else {
                isMuted = true
                return .oneTooMany
            }
            told.insert(line)
            return .new
        }
    }
}
