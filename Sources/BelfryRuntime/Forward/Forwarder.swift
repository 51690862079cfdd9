import BelfryEngine
import BelfryJournal
import BelfryModel
import Foundation
import Synchronization

/// Forwards attribute changes and analytics events to the configured endpoint, beside the run loop.
///
/// The run loop calls `append` before each commit and calls `didCommit` after it; it never waits for the network. A thread
/// of the forwarder's own reads the queue in the store, sends, and removes what was taken. docs/forwarding.md.
public final class Forwarder: Sendable {
    private let endpoint: any ForwardEndpoint
    private let delivery: ForwardDelivery
    private let queue: ForwardQueue
    private let say: @Sendable (String) -> Void
    private let patience: Duration
    private let pending: Mutex<Pending>
    private let bell = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    private struct Pending: ~Copyable {
        var items: ForwardItems
        /// How many are not committed yet.
        var count = 0
    }

    /// Starts with what an earlier run left in the queue.
    ///
    /// - Parameters:
    ///   - patience: how long `finish` waits for the next batch to be taken.
    ///   - say: gets sentences for people, on any thread.
    public init(
        _ options: Configuration.Forward, source: String, journal: Journal, endpoint: any ForwardEndpoint,
        patience: Duration = .seconds(10), say: @escaping @Sendable (String) -> Void
    ) throws {
        (self.endpoint, self.patience, self.say) = (endpoint, patience, say)
        pending = Mutex(Pending(items: ForwardItems(source: source, journal: journal)))
        queue = try ForwardQueue(journal)
        delivery = try ForwardDelivery(
            queue, to: endpoint, batch: options.batch,
            every: options.immediate ? .zero : options.every, in: .real(say: say))
        Thread.detachNewThread { [self] in work() }
    }

    /// Adds what came of a batch of signals to what is committed with it.
    public func append(_ outgoing: [Outgoing], to entry: inout JournalEntry) {
        // A closure cannot take it along otherwise.
        var filled = entry
        pending.withLock { pending in
            pending.count = outgoing.count
            pending.items.append(outgoing, to: &filled)
        }
        entry = filled
    }

    /// The last entry of the journal of which nothing waits to be forwarded.
    var entry: UInt64 { queue.entry }

    /// What was appended last is committed.
    public func didCommit() {
        let count = pending.withLock { pending in
            defer { pending.count = 0 }
            return pending.count
        }
        guard count > 0 else { return }
        delivery.committed(count)
        bell.signal()
    }

    /// Sends what is left, without waiting for company, until a few attempts in a row have failed, or nothing was taken for too
    /// long. Call it once, before the store is closed.
    public func finish() -> ForwardStatus {
        delivery.end()
        bell.signal()
        var forwarded = delivery.status.forwarded
        while ended.wait(timeout: .now() + .milliseconds(Int(patience.milliseconds))) == .timedOut {
            let progress = delivery.status.forwarded
            if progress == forwarded {
                delivery.giveUp()
                endpoint.cancel()
                bell.signal()
            }
            forwarded = progress
        }
        endpoint.close()
        return delivery.status
    }

    private func work() {
        defer { ended.signal() }
        do {
            while true {
                switch try delivery.step() {
                case .attempt: continue
                case .rest(let until): rest(until)
                case .end: return
                }
            }
        } catch {
            say("warning: forwarding stops: \(error)\n  effect: what is in the queue stays there for the next run")
        }
    }

    private func rest(_ until: Duration?) {
        guard let until else { return bell.wait() }
        _ = bell.wait(timeout: .now() + .milliseconds(Int(max(0, until.milliseconds - delivery.now.milliseconds))))
    }
}

extension ForwardDelivery.Surroundings {
    /// With the clock of this machine, which nobody sets.
    fileprivate static func real(say: @escaping @Sendable (String) -> Void) -> ForwardDelivery.Surroundings {
        let start = DispatchTime.now()
        return ForwardDelivery.Surroundings(
            clock: {
                Duration(
                    milliseconds: Int64((DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000))
            }, random: { .random(in: 0...1) }, say: say)
    }
}
