import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryRuntime
import Foundation

/// `forward` among the sinks: brings attribute changes and analytics events to one endpoint, in order and in batches (docs/forwarding.md).
///
/// A thread of its own reads them from the journal, sends them, and notes there what was taken. The run loop never waits for the network.
final class Forwarder: SinkMember {
    /// What operators call it by; no sink has this id.
    static let id = "forward"

    private let endpoint: any ForwardEndpoint
    private let delivery: ForwardDelivery
    private let queue: ForwardQueue
    private let patience: Duration
    private let bell = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Starts with what an earlier run left in the queue.
    ///
    /// - Parameters:
    ///   - patience: how long `finish` waits for the next batch to be taken.
    ///   - say: gets sentences for people, on any thread.
    init(
        _ options: Configuration.Forward, journal: Journal, endpoint: any ForwardEndpoint,
        patience: Duration = .seconds(10), say: @escaping @Sendable (String) -> Void
    ) throws {
        (self.endpoint, self.patience) = (endpoint, patience)
        queue = try ForwardQueue(journal)
        delivery = try ForwardDelivery(
            queue, to: endpoint, batch: options.batch,
            every: options.immediate ? .zero : options.every, in: .real(say: say))
        Thread.detachNewThread { [self] in work() }
    }

    var id: String { Self.id }
    var status: SinkStatus { delivery.sinkStatus }

    var entry: UInt64 { queue.entry }

    func ring() {
        if delivery.lookForMore() { bell.signal() }
    }

    func forget(_ subject: String) { delivery.forget(subject) }

    func act(_ action: SinkAction) throws -> Int {
        defer { bell.signal() }
        return try delivery.act(action)
    }

    /// What there is goes now, without waiting for company, until a few attempts in a row have failed. Does not wait.
    func beginToEnd() {
        delivery.end()
        bell.signal()
    }

    /// Waits until what is left was sent, or nothing was taken for too long. Call it once, before the store is closed.
    func finish() -> ForwardStatus {
        beginToEnd()
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
        while true {
            switch delivery.step() {
            case .attempt: continue
            case .rest(let until): rest(until)
            case .end: return
            }
        }
    }

    private func rest(_ until: Duration?) {
        guard let until else { return bell.wait() }
        _ = bell.wait(timeout: .now() + .milliseconds(Int(max(0, until.milliseconds - delivery.now.milliseconds))))
    }
}

extension ForwardDelivery.Surroundings {
    /// With the monotonic clock of this machine, which cannot be set.
    fileprivate static func real(say: @escaping @Sendable (String) -> Void) -> ForwardDelivery.Surroundings {
        let start = DispatchTime.now()
        return ForwardDelivery.Surroundings(
            clock: {
                Duration(
                    milliseconds: Int64((DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000))
            }, random: { .random(in: 0...1) }, say: say)
    }
}
