/// The C table of a strategy's hook for receipts: constant, valid until the process ends. Nil if it is no `ReceiptListening`.
public func receiptTable(_ type: any Strategy.Type) -> UnsafePointer<belfry_receipt_hook>? {
    guard type is any ReceiptListening.Type else { return nil }
    let arena = Arena(.process)
    var table = belfry_receipt_hook()
    table.strategy = arena.text(type.name)
    table.on_receipt = { instance, state, candidate, receipt, context, sink in
        told(instance, sink) { (hooks, strategy, instance) throws(StrategyError) in
            // The contract promises what is unwrapped.
            try hooks.onReceipt?(
                strategy, state ?? noMutableState, Receipt(receipt!.pointee), Candidate(candidate!),
                instance.context(context))
        }
    }
    return arena.copy([table])
}

extension Receipt {
    fileprivate init(_ raw: belfry_receipt) {
        let outcome: Outcome? =
            switch raw.outcome {
            case BELFRY_RECEIPT_DELIVERED: .delivered
            case BELFRY_RECEIPT_FAILED: .failed(String(belfry: raw.reason) ?? "")
            default: nil
            }
        self.init(outcome: outcome, sink: String(belfry: raw.sink), createdAt: Instant(milliseconds: raw.created_at))
    }
}
