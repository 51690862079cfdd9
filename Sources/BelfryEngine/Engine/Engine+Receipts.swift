import BelfryModel
import CBelfry

/// What a sink says became of a notification (docs/sinks.md, "Receipts"): a custom event, which strategies may hear of.
struct Receipt {
    let notification: String
    let outcome: UInt32
    let sink: String?
    let reason: String?

    /// Nil for any other signal.
    init?(_ signal: Signal) {
        switch signal.type {
        case "notification.delivered": outcome = BELFRY_RECEIPT_DELIVERED
        case "notification.failed": outcome = BELFRY_RECEIPT_FAILED
        default: return nil
        }
        let data = signal.data?.map
        guard let notification = data?["notification"]?.text else { return nil }
        (self.notification, sink, reason) = (notification, data?["sink"]?.text, data?["reason"]?.text)
    }
}

extension Engine {
    /// Tells it to the strategies that want to hear of it, under the counters of the notification. One that is neither current nor in the
    /// history is not known any more.
    func receive(_ receipt: Receipt, _ moment: borrowing Moment, into effects: inout Effects) {
        guard let id = SubjectRecord.parts(of: receipt.notification),
            let createdAt = moment.record.creation(of: receipt.notification)
        else { return }
        recall(receipt.notification, of: id.campaign, moment)
        scope.begin(moment, hasCandidate: true, texts: effects.texts)
        if assigner != nil { assignVariants(moment) }
        let arena = Arena()
        var told = belfry_receipt()
        told.outcome = receipt.outcome
        told.created_at = createdAt.milliseconds
        (told.sink, told.reason) = (arena.text(receipt.sink), arena.text(receipt.reason))
        scope.forEachConcerned { step, counter in
            guard let hook = step.pointee.plan.object.receipts?.pointer.pointee.on_receipt else { return }
            scope.tell(step.pointee.plan, counter, .onReceipt) { state, error in
                hook(step.pointee.instance, state, scope.cCandidate(counter: counter), &told, scope.cContext, error)
            }
        }
        scope.endStates()
        reportFaults(moment, into: &effects)
    }
}

extension SubjectRecord {
    /// When a notification was created; nil if that is not known any more.
    fileprivate func creation(of notification: String) -> Instant? {
        current(notification)?.createdAt ?? historyEntry(of: notification)?.sentAt
    }
}
