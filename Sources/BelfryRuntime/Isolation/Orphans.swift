import BelfryModel
import Foundation

/// What plugins have forked, and what outlives the process that did so: this one adopts it, and ends it at its own end.
///
/// A process group does not tell it: it may have made one of its own (`setsid`). Nor is each child of this process one: its parent may have
/// left it some, and programs of sinks are to live on.
public enum Orphans {
    /// In the environment of a process with plugins, and so of what it forks and starts: the number of the host.
    private static let variable = "BELFRY_HOST"

    static func marked(_ environment: [String: String]) -> [String: String] {
        environment.merging([variable: "\(getpid())"]) { $1 }
    }

    /// No longer than that: a plugin may fork faster than it can be ended.
    private static let patience = Duration.seconds(2)

    /// Ends all of them, and what they have forked.
    public static func end() {
        let deadline = MonotonicTime.now + patience
        while case let orphans = children.filter(isOfPlugins), !orphans.isEmpty, .now < deadline {
            for orphan in orphans { kill(orphan, SIGKILL) }
            // What they have forked is adopted when they have ended.
            for orphan in orphans where ProcessEnd.comes(to: orphan, within: .seconds(1)) {
                _ = ProcessEnd.wait(for: orphan)
            }
        }
    }

    /// Of all threads of this process.
    private static var children: [pid_t] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return threads.flatMap { thread in
            words(of: "/proc/self/task/\(thread)/children", apartBy: " ").compactMap { pid_t($0) }
        }
    }

    /// One that has ended has no environment any more.
    private static func isOfPlugins(_ process: pid_t) -> Bool {
        words(of: "/proc/\(process)/environ", apartBy: "\0").contains("\(variable)=\(getpid())")
    }

    private static func words(of path: String, apartBy separator: Character) -> [Substring] {
        let bytes = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: separator)
    }
}
