/// What the host holds as one instance of a strategy: plain pointers, so that calling through it counts no references.
struct StrategyInstance {
    let hooks: UnsafePointer<ErasedStrategy>
    let host: Host
    let strategy: UnsafeMutableRawPointer

    static func make(
        _ hooks: UnsafePointer<ErasedStrategy>, host: Host, strategy: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        let instance = UnsafeMutablePointer<StrategyInstance>.allocate(capacity: 1)
        instance.initialize(to: StrategyInstance(hooks: hooks, host: host, strategy: strategy))
        return UnsafeMutableRawPointer(instance)
    }

    @inline(__always)
    static func at(_ address: UnsafeMutableRawPointer?) -> UnsafePointer<StrategyInstance> {
        UnsafePointer(address!.assumingMemoryBound(to: StrategyInstance.self))  // an instance is never null
    }
}

extension UnsafePointer<StrategyInstance> {
    @inline(__always)
    func context(_ raw: UnsafePointer<belfry_context>?) -> Context {
        Context(raw!, host: pointer(to: \.host)!)  // never null; `host` is a stored property
    }
}

extension ErasedStrategy {
    @inline(__always)
    static func at(_ type: UnsafeMutableRawPointer?) -> UnsafePointer<ErasedStrategy> {
        UnsafePointer(type!.assumingMemoryBound(to: ErasedStrategy.self))  // the table's own `type`
    }
}

/// Stands for the state of a strategy that keeps none: aligned for every type, and never read, since it has no bytes.
var noMutableState: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: 16)! }
var noState: UnsafeRawPointer { UnsafeRawPointer(noMutableState) }

extension Verdict {
    /// Hands the reason to the host and gives the word for it.
    @inline(__always)
    consuming func answer(_ sink: UnsafePointer<belfry_reason>?) -> belfry_verdict {
        // Nobody else needs it, so its texts are moved out, not copied.
        switch consume self {
        case .abstain: return BELFRY_ABSTAIN
        case .allow: return BELFRY_ALLOW
        case .deny(let reason):
            reason.explain(to: sink)
            return BELFRY_DENY
        case .defer(let reason):
            reason.explain(to: sink)
            return BELFRY_DEFER
        case .fault(let message):
            Reason(message: message).explain(to: sink)
            return BELFRY_FAULT
        }
    }
}

extension UnsafePointer<belfry_reason> {
    @inline(__always)
    fileprivate func explain(_ code: belfry_text, _ message: belfry_text) {
        var (code, message) = (code, message)
        pointee.explain(pointee.owner, &code, &message)
    }
}

extension Reason {
    @inline(never)
    fileprivate func explain(to sink: UnsafePointer<belfry_reason>?) {
        guard let sink else { return }
        if let until { sink.pointee.until(sink.pointee.owner, until.milliseconds) }
        // Nearly no reason has a code; to bind it would copy it.
        if code == nil { return message.withText { sink.explain(belfry_text(), $0) } }
        code?.withText { code in message.withText { sink.explain(code, $0) } }
    }
}
