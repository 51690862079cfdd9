import BelfryCore
import CLinux
import Foundation
import Synchronization

/// Follows the configuration of a run and its plugins while it goes on: what changes is read, checked and loaded on a thread of
/// its own, and handed to the run as an event when it is right. When it is wrong, it says why, and the former one stays.
public final class ConfigurationWatch: RunEvents, Sendable {
    public let descriptor: Int32
    /// Readable when the thread is to end.
    private let bell: Int32
    private let files: FileWatch
    private let say: @Sendable (String) -> Void
    private let state: Mutex<State>
    private let ended = DispatchSemaphore(value: 0)
    private let run = RunRecords()

    private struct State {
        /// Of what the run decides by.
        var outline: Generation.Outline
        /// Checked and loaded, and not taken yet; a later one takes its place.
        var next: Generation?
    }

    /// Where it is never quiet, changes are looked at every so often.
    private static let patience = Swift.Duration.seconds(2)

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - source: what the run starts with. It is not kept.
    ///   - isStoreGiven: whether the run has another store than the configured one.
    ///   - say: gets messages for people, on any thread.
    public init(
        _ workspace: Workspace, _ source: DecisionSource, isStoreGiven: Bool,
        say: @escaping @Sendable (String) -> Void
    ) throws(WatchFailure) {
        files = try FileWatch()
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        bell = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        self.say = say
        state = Mutex(State(outline: Generation.Outline(workspace, remarks: source.remarks(of: workspace))))
        let reloader = try Reloader(
            workspace, source.isolation, isStoreGiven: isStoreGiven, watch: files, records: run.recentRecords)
        say("watching \(workspace.sources.places)")
        Thread.detachNewThread { [self] in work(reloader) }
    }

    deinit {
        close(descriptor)
        close(bell)
    }

    /// The configuration to go on with, if there is another one. Says so.
    public func next() -> RunEvent? {
        // In this order: what is posted in between is found now, or announced again.
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
        let change = state.withLock { state -> (generation: Generation, former: Generation.Outline)? in
            guard let generation = state.next.take() else { return nil }
            defer { state.outline = generation.outline }
            return (generation, state.outline)
        }
        guard let (generation, former) = change else { return nil }
        say("reloaded: \(ConfigurationChange(from: former, to: generation.outline))")
        for remark in generation.outline.remarks where !former.remarks.contains(remark) { say(remark) }
        return .reload(generation.source)
    }

    public func runBegan(_ records: @escaping RecentRecords) { run.begin(records) }

    /// Ends the watch. What is being checked right now is not waited for long: no run may hang on its way out.
    public func end() {
        eventfd_write(bell, 1)
        _ = ended.wait(timeout: .now() + .seconds(1))
    }

    // MARK: On the thread

    private func work(_ reloader: Reloader) {
        var reloader = reloader
        repeat {
            do {
                announce(try reloader.look())
            } catch {
                say("warning: \(error)")
            }
        } while waitForNews()
        ended.signal()
    }

    private func announce(_ finding: Reloader.Finding) {
        switch finding {
        case .nothing: break
        case .restored: say("the configuration is again the one in force")
        case .wrong(let report): say("\(report)\nthe former configuration stays in force")
        case .right(let generation):
            state.withLock { $0.next = generation }
            eventfd_write(descriptor, 1)
        }
    }

    /// Waits until something has changed, and that has come to an end.
    ///
    /// - Returns: false when the watch is to end.
    private func waitForNews() -> Bool {
        repeat {
            guard wait(milliseconds: -1) else { return false }
        } while !files.takeNews()
        let limit = ContinuousClock.now + Self.patience
        var settled = ContinuousClock.now + FileWatch.quiet
        while true {
            let rest = min(settled, limit) - .now
            if rest <= .zero { return true }
            guard wait(milliseconds: Int32(rest / .milliseconds(1)) + 1) else { return false }
            if files.takeNews() { settled = .now + FileWatch.quiet }
        }
    }

    /// Waits for files to change.
    ///
    /// - Returns: false when the watch is to end.
    private func wait(milliseconds: Int32) -> Bool {
        var polls = [files.descriptor, bell].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&polls, 2, milliseconds)
        return polls[1].revents == 0
    }
}

/// The records of a run, as soon as it has begun.
private final class RunRecords: Sendable {
    private let records = Mutex<RecentRecords?>(nil)

    func begin(_ records: @escaping RecentRecords) { self.records.withLock { $0 = records } }

    var recentRecords: RecentRecords {
        { [self] limit in try records.withLock { $0 }?(limit) ?? [] }
    }
}
