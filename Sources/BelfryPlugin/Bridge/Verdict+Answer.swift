// Inlinable, so that it is compiled together with the check of a strategy.

extension Verdict {
    /// Hands the reason to the host and gives the word for it.
    @inlinable @inline(__always)
    consuming func answer(_ sink: UnsafePointer<belfry_reason>?) -> belfry_verdict {
        // It is not needed any more, so its texts are moved out, not copied.
        switch consume self {
        case .abstain: return BELFRY_ABSTAIN
        case .allow: return BELFRY_ALLOW
        case .deny(let reason):
            reason.explain(to: sink)
            return BELFRY_DENY
        case .defer(let reason):
            reason.explain(to: sink)
            return BELFRY_DEFER
        case .collect(let reason):
            reason.explain(to: sink)
            return BELFRY_COLLECT
        case .withhold(let reason):
            reason.explain(to: sink)
            return BELFRY_WITHHOLD
        case .fault(let message):
            Reason(message: message).explain(to: sink)
            return BELFRY_FAULT
        }
    }
}

extension UnsafePointer<belfry_reason> {
    @inlinable @inline(__always)
    func explain(_ code: belfry_text, _ message: belfry_text) {
        var (code, message) = (code, message)
        pointee.explain(pointee.owner, &code, &message)
    }
}

extension Reason {
    @inlinable @inline(__always)
    func explain(to sink: UnsafePointer<belfry_reason>?) {
        guard let sink else { return }
        if let until { sink.pointee.until(sink.pointee.owner, until.milliseconds) }
        // Nearly no reason has a code; to bind it would copy it.
        if code == nil { return message.withText { sink.explain(belfry_text(), $0) } }
        code?.withText { code in message.withText { sink.explain(code, $0) } }
    }
}
