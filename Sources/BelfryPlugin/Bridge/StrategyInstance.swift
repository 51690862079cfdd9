/// What the host holds as one instance of a strategy: plain pointers, so that calling through it counts no references.
struct StrategyInstance {
    let hooks: Unmanaged<ErasedStrategy>
    let host: Host
    let strategy: UnsafeMutableRawPointer

    static func make(
        _ hooks: ErasedStrategy, host: Host, strategy: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        let instance = UnsafeMutablePointer<StrategyInstance>.allocate(capacity: 1)
        instance.initialize(to: StrategyInstance(hooks: .passUnretained(hooks), host: host, strategy: strategy))
        return UnsafeMutableRawPointer(instance)
    }

    @inline(__always)
    static func at(_ address: UnsafeMutableRawPointer?) -> UnsafePointer<StrategyInstance> {
        // An instance is never null.
        UnsafePointer(address.unsafelyUnwrapped.assumingMemoryBound(to: StrategyInstance.self))
    }
}

extension UnsafePointer<StrategyInstance> {
    /// Lends the hooks and the strategy itself.
    @inline(__always)
    func with<Result>(_ body: (ErasedStrategy, UnsafeMutableRawPointer) -> Result) -> Result {
        pointee.hooks._withUnsafeGuaranteedRef { body($0, pointee.strategy) }
    }

    @inline(__always)
    func context(_ raw: UnsafePointer<belfry_context>?) -> Context {
        // A context is never null; `host` is a stored property.
        Context(raw.unsafelyUnwrapped, host: pointer(to: \.host).unsafelyUnwrapped)
    }
}

extension ErasedStrategy {
    /// The hooks behind the table's own `type`, which is never null.
    static func at(_ type: UnsafeMutableRawPointer?) -> ErasedStrategy {
        Unmanaged.fromOpaque(type!).takeUnretainedValue()
    }
}

/// Stands for the state of a strategy that keeps none: aligned for every type, and never read, since it has no bytes.
var noMutableState: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: 16)! }
var noState: UnsafeRawPointer { UnsafeRawPointer(noMutableState) }
