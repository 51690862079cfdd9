import BelfryCore
import BelfryEngine
import BelfryModel
import Glibc
import Synchronization

/// The quarantine of a run: its shards tell what dies, the run tells what fails otherwise, and the service shows what is in it.
public final class EntryQuarantine: Sendable {
    private let state = Mutex(State())
    private let now: @Sendable () -> Instant

    private struct State {
        var quarantine = Quarantine()
        /// What is to be said, in order.
        var news: [String] = []
    }

    public convenience init() { self.init { .uptime } }

    /// - Parameter now: a clock that never goes back.
    package init(now: @escaping @Sendable () -> Instant) { self.now = now }

    /// The ids of the entries that are in it.
    public var entries: [String] { state.withLock { $0.quarantine.entries(at: now()) } }

    /// The ids of those that are not to be called now.
    public var excluded: [String] { state.withLock { $0.quarantine.excluded(at: now()) } }

    /// Notes that an entry was at fault.
    ///
    /// - Returns: whether it is not to be called from here on.
    @discardableResult
    func fault(of entry: String, _ message: String) -> Bool {
        state.withLock { state in
            let now = now()
            guard let length = state.quarantine.fault(of: entry, at: now) else {
                return state.quarantine.excluded(at: now).contains(entry)
            }
            state.news.append(
                """
                entry '\(entry)' is quarantined for \(length): \(message)
                  effect: it answers fault without being called, and is tried again then
                  fix: replace its plugin, or go on without it ('belfry strategies disable \(entry)')
                """)
            return true
        }
    }

    /// Notes what came of a batch. Those whose process died were noted when it did.
    func note(_ counts: [SignalCounts]) {
        let kinds = counts.flatMap { $0.faults.map(\.key) }
        for counts in counts {
            for (kind, count) in counts.faults where kind.cause == .error || kind.cause == .nonsense {
                for _ in 0..<min(count, Quarantine.most) {
                    fault(of: kind.entry, kind.cause == .error ? "it fails again and again" : "it answers nonsense")
                }
            }
        }
        guard counts.contains(where: { $0.processed + $0.timersFired > 0 }) else { return }
        state.withLock { $0.quarantine.didWork(except: Set(kinds.map(\.entry)), at: now()) }
    }

    /// Another configuration, or other plugins: nothing is known of them.
    func forget() { state.withLock { $0.quarantine = Quarantine() } }

    /// What has happened since this was last asked for.
    func takeNews() -> [String] {
        state.withLock { state in
            defer { state.news = [] }
            return state.news
        }
    }
}

extension PlannedFault {
    /// All calls of an entry that is in quarantine.
    ///
    /// - Parameter note: the last one that is not meant; nil: all are.
    static func quarantined(_ entry: Int, after note: CallNote? = nil) -> PlannedFault {
        PlannedFault(
            piece: note?.piece, ordinal: note?.ordinal, entry: entry, cause: .quarantined,
            message: "it is not called for now, because it was at fault too often", isLasting: note != nil)
    }

    static func quarantined(_ entries: [String], of chain: [String]) -> [PlannedFault] {
        entries.compactMap { chain.firstIndex(of: $0) }.map { quarantined($0) }
    }
}

extension Instant {
    /// The time since the system began, which cannot be set.
    fileprivate static var uptime: Instant {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
