import BelfryCore
import BelfryModel
import CBelfryCore

// The shards of belfry_core.h.

extension CoreShard {
    /// The shard behind a handle, which is there as long as it is not closed.
    fileprivate static func at(_ handle: OpaquePointer?) -> CoreShard? {
        handle.map { Unmanaged<CoreShard>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }

    fileprivate func decide(_ work: belfry_core_work, line: UInt64) -> belfry_core_step {
        if isCollecting {
            return failed("the shard is being collected\n  fix: ask when belfry_core_shard_collect has returned")
        }
        if let fault = work.fault { return failed(fault) }
        guard let subject = work.subject.text else {
            return failed("'subject' is missing, or no UTF-8")
        }
        do throws(RecordFailure) {
            let step = try decide(
                subject: subject, record: work.record.bytes == nil ? nil : work.record.buffer,
                signals: work.signals.buffer, line: Int(clamping: line), passed: Instant(milliseconds: work.passed),
                until: work.until == never ? nil : Instant(milliseconds: work.until))
            return step.map { belfry_core_step($0) } ?? belfry_core_step(status: BELFRY_CORE_NEEDS_RECORD)
        } catch {
            return failed(error.description)
        }
    }

    /// A step that says why, in bytes that live as long as the shard's next call.
    fileprivate func failed(_ why: String) -> belfry_core_step {
        var step = belfry_core_step(status: BELFRY_CORE_FAILED)
        step.error = belfry_core_bytes(keep(why: why))
        return step
    }

    fileprivate func head(of line: belfry_core_bytes, withTime: Bool) -> belfry_core_head {
        var head = belfry_core_head()
        head.time = never
        switch self.head(of: line.buffer) {
        case .tick(let time): (head.is_tick, head.time) = (1, time.milliseconds)
        case .subject(let subject):
            head.subject = belfry_core_bytes(subject)
            // What the router lends stays good: the decoder has memory of its own.
            if withTime { head.time = time(of: line.buffer)?.milliseconds ?? never }
        case .none: break
        }
        return head
    }
}

extension belfry_core_step {
    fileprivate init(status: Int32) {
        self.init()
        self.status = status
        (timer_before, next_timer) = (never, never)
    }

    fileprivate init(_ step: CoreShard.Step) {
        self.init(status: BELFRY_CORE_OK)
        decisions = belfry_core_bytes(step.decisions)
        rejects = belfry_core_bytes(step.rejects)
        if let due = step.timerBefore { timer_before = due.milliseconds }
        if let due = step.nextTimer { next_timer = due.milliseconds }
    }
}

extension belfry_core_bytes {
    init(_ bytes: UnsafeRawBufferPointer) { self.init(bytes: bytes.baseAddress, length: UInt64(bytes.count)) }

    /// A text that needs no owner: it is there as long as this library is.
    fileprivate init(_ text: StaticString) {
        self.init(bytes: text.utf8Start, length: UInt64(text.utf8CodeUnitCount))
    }
}

@c @implementation
public func belfry_core_shard_open(_ core: OpaquePointer?) -> OpaquePointer? {
    Core.at(core).map { OpaquePointer(Unmanaged.passRetained(CoreShard($0)).toOpaque()) }
}

@c @implementation
public func belfry_core_shard_close(_ shard: OpaquePointer?) {
    shard.map { Unmanaged<CoreShard>.fromOpaque(UnsafeRawPointer($0)).release() }
}

@c @implementation
public func belfry_core_shard_head(
    _ shard: OpaquePointer?, _ line: belfry_core_bytes, _ withTime: Int32,
    _ head: UnsafeMutablePointer<belfry_core_head>?
) {
    if let shard = CoreShard.at(shard) {
        head?.pointee = shard.head(of: line, withTime: withTime != 0)
    } else {
        head?.pointee = belfry_core_head()
        head?.pointee.time = never
    }
}

@c @implementation
public func belfry_core_shard_decide(
    _ shard: OpaquePointer?, _ work: UnsafePointer<belfry_core_work>?, _ line: UInt64,
    _ step: UnsafeMutablePointer<belfry_core_step>?
) {
    guard let shard = CoreShard.at(shard) else {
        step?.pointee = belfry_core_step(status: BELFRY_CORE_FAILED)
        step?.pointee.error = belfry_core_bytes("'shard' is missing\n  fix: pass what belfry_core_shard_open gave")
        return
    }
    step?.pointee =
        work.map { shard.decide($0.pointee, line: line) }
        ?? shard.failed("'work' is missing\n  fix: pass a subject and its signals")
}

@c @implementation
public func belfry_core_shard_collect(
    _ shard: OpaquePointer?, _ keep: UInt64, _ owner: UnsafeMutableRawPointer?,
    _ take: (@convention(c) (UnsafeMutableRawPointer?, belfry_core_bytes, belfry_core_bytes) -> Void)?
) -> UInt64 {
    guard let shard = CoreShard.at(shard) else { return 0 }
    shard.collect(keeping: Int(clamping: keep)) { subject, record in
        subject.withBytes { subject in
            record.withUnsafeBytes { take?(owner, belfry_core_bytes(subject), belfry_core_bytes($0)) }
        }
    }
    return UInt64(shard.count)
}
