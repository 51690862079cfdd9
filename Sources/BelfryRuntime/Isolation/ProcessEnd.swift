import BelfryModel
import BelfryPluginHost
import CLinux
import Glibc

/// How a process ended.
enum ProcessEnd: Error, Equatable {
    case exit(Int32)
    case signal(Int32)
    /// It was ended from here, since it took too long.
    case overran
    /// It was ended from here, since it said what makes no sense.
    case nonsense

    /// Waits until a child has ended, and leaves it to be waited for.
    ///
    /// - Returns: false if it has not ended in time, or cannot be watched.
    static func comes(to process: pid_t, within time: Duration) -> Bool {
        let descriptor = belfry_process_descriptor(process)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var count: Int32
        repeat { count = poll(&polled, 1, Int32(clamping: time.milliseconds)) } while count < 0 && errno == EINTR
        return count > 0
    }

    /// Waits for a child, and for what it started in its process group.
    ///
    /// - Returns: nil if there is no such child.
    static func wait(for process: pid_t) -> ProcessEnd? {
        var status: Int32 = 0
        var found = waitpid(process, &status, 0)
        while found < 0, errno == EINTR { found = waitpid(process, &status, 0) }
        endGroup(of: process)
        guard found == process else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
    }

    /// What a process forked must not outlive it; it is this process that has to bury that.
    private static func endGroup(of process: pid_t) {
        guard kill(-process, SIGKILL) == 0 else { return }
        var status: Int32 = 0
        repeat { errno = 0 } while waitpid(-process, &status, 0) > 0 || errno == EINTR
    }

    /// A part of a sentence whose subject is the process.
    var words: String {
        switch self {
        case .exit(let status): "ended with status \(status) and without a word"
        case .signal(let signal): "crashed with signal \(signalName(signal))"
        case .overran: "did not come to an end"
        case .nonsense: "said what makes no sense"
        }
    }
}
