import BelfryEngine
import BelfryModel
import CBelfry

/// A strategy behind a table of its own that passes every call on, and asks each check twice to find out whether it is pure.
///
/// It stands between the real engine and the real strategy, so that what is tested is the path that decides in production.
final class WatchedStrategy {
    /// What the author wrote.
    let strategy: UnsafePointer<belfry_strategy>
    /// What the engine gets. Valid until the process ends, as the contract asks of tables.
    let table: UnsafePointer<belfry_strategy>
    private let reason = ReasonDrain()
    /// How often it was asked, and what it answered last.
    private(set) var questions = 0
    private(set) var lastVerdict: Verdict?
    /// The first check that was not pure: what it did.
    private(set) var impurity: String?
    /// What an earlier version of the strategy saved: new states begin with it.
    var past: SavedState?
    /// Why `past` could not be loaded.
    private(set) var refusal: String?

    init(_ strategy: UnsafePointer<belfry_strategy>) {
        self.strategy = strategy
        let table = UnsafeMutablePointer<belfry_strategy>.allocate(capacity: 1)
        table.initialize(to: strategy.pointee)
        self.table = UnsafePointer(table)
        table.pointee.type = Unmanaged.passRetained(self).toOpaque()
        table.pointee.passOnLifecycle()
        table.pointee.passOnState()
        table.pointee.passOnChecks()
        table.pointee.passOnOutcomes()
        table.pointee.passOnMoves()
    }

    fileprivate static func of(_ type: UnsafeMutableRawPointer?) -> WatchedStrategy {
        Unmanaged.fromOpaque(type!).takeUnretainedValue()  // the table's own `type`
    }

    fileprivate typealias Check =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeRawPointer?, UnsafePointer<belfry_candidate>?,
            UnsafePointer<belfry_context>?,
            UnsafePointer<belfry_reason>?
        ) -> belfry_verdict

    /// Asks twice, compares, and then asks for the engine.
    fileprivate func ask(
        _ name: String, _ check: Check, _ instance: UnsafeMutableRawPointer, _ state: UnsafeRawPointer?,
        _ candidate: UnsafePointer<belfry_candidate>?, _ context: UnsafePointer<belfry_context>?,
        _ answer: UnsafePointer<belfry_reason>?
    ) -> belfry_verdict {
        let before = saved(state)
        let first = reason.verdict(check(instance, state, candidate, context, reason.begin()))
        let second = reason.verdict(check(instance, state, candidate, context, reason.begin()))
        let after = saved(state)
        if before != after { report("\(name) changed the state from \(text(before)) to \(text(after))") }
        if first != second { report("\(name) answered '\(first.text)', and asked again '\(second.text)'") }
        questions += 1
        lastVerdict = second
        return check(instance, state, candidate, context, answer)
    }

    /// A new state, or one with a past.
    fileprivate func begin(_ state: UnsafeMutableRawPointer?) {
        let table = strategy.pointee
        table.state_init(table.type, state)
        guard let past else { return }
        let answer = collectText { error in
            StateSource(past, arena: Arena()).withReader {
                table.state_load(table.type, state, past.version, $0, error)
            }
        }
        if answer.result != BELFRY_OK { refusal = answer.text }
    }

    /// Loads into a state that has no past.
    fileprivate func load(
        _ state: UnsafeMutableRawPointer?, _ version: UInt32, _ reader: UnsafePointer<belfry_state_reader>?,
        _ error: UnsafePointer<belfry_sink>?
    ) -> belfry_status {
        let table = strategy.pointee
        if past != nil {
            table.state_destroy(table.type, state)
            table.state_init(table.type, state)
        }
        return table.state_load(table.type, state, version, reader, error)
    }

    private func report(_ impurity: String) {
        self.impurity = self.impurity ?? impurity
    }

    private func saved(_ state: UnsafeRawPointer?) -> SavedState {
        let drain = StateDrain(version: strategy.pointee.state_version)
        if let state { drain.withWriter { strategy.pointee.state_save(strategy.pointee.type, state, $0) } }
        return drain.saved
    }

    private func text(_ saved: SavedState) -> String {
        saved.values.isEmpty ? "nothing" : saved.values.map { "\($0.key) = \($0.value.text)" }.joined(separator: ", ")
    }
}

/// An instance of the strategy, and whose it is.
private struct WatchedInstance {
    let watch: Unmanaged<WatchedStrategy>
    let instance: UnsafeMutableRawPointer

    static func at(_ address: UnsafeMutableRawPointer?) -> WatchedInstance {
        address!.assumingMemoryBound(to: WatchedInstance.self).pointee  // an instance is never null
    }

    var watched: WatchedStrategy { watch.takeUnretainedValue() }
    var inner: belfry_strategy { watched.strategy.pointee }
}

// C functions cannot capture: each finds the strategy through the `type` or the instance it is given. What the strategy
// left out stays left out.
extension belfry_strategy {
    fileprivate mutating func passOnLifecycle() {
        create = { type, host, parameters, error in
            let watch = WatchedStrategy.of(type)
            let inner = watch.strategy.pointee
            guard let made = inner.create(inner.type, host, parameters, error) else { return nil }
            let instance = UnsafeMutablePointer<WatchedInstance>.allocate(capacity: 1)
            instance.initialize(to: WatchedInstance(watch: .passUnretained(watch), instance: made))
            return UnsafeMutableRawPointer(instance)
        }
        destroy = { instance in
            let watched = WatchedInstance.at(instance)
            watched.inner.destroy(watched.instance)
            instance?.deallocate()
        }
    }

    fileprivate mutating func passOnState() {
        if state_size == 0 { return }
        state_init = { WatchedStrategy.of($0).begin($1) }
        state_destroy = {
            let inner = WatchedStrategy.of($0).strategy.pointee
            inner.state_destroy(inner.type, $1)
        }
        state_load = { WatchedStrategy.of($0).load($1, $2, $3, $4) }
        state_save = {
            let inner = WatchedStrategy.of($0).strategy.pointee
            inner.state_save(inner.type, $1, $2)
        }
    }

    fileprivate mutating func passOnChecks() {
        should_create = {
            let its = WatchedInstance.at($0)
            return its.watched.ask("shouldCreate", its.inner.should_create, its.instance, $1, $2, $3, $4)
        }
        if should_delete == nil { return }
        should_delete = {
            let its = WatchedInstance.at($0)
            return its.watched.ask("shouldDelete", its.inner.should_delete, its.instance, $1, $2, $3, $4)
        }
    }

    fileprivate mutating func passOnOutcomes() {
        if did_create != nil {
            did_create = {
                let its = WatchedInstance.at($0)
                its.inner.did_create(its.instance, $1, $2, $3, $4)
            }
        }
        if did_delete != nil {
            did_delete = {
                let its = WatchedInstance.at($0)
                its.inner.did_delete(its.instance, $1, $2, $3, $4)
            }
        }
        if on_opened != nil {
            on_opened = {
                let its = WatchedInstance.at($0)
                its.inner.on_opened(its.instance, $1, $2, $3)
            }
        }
    }

    fileprivate mutating func passOnMoves() {
        if on_background != nil {
            on_background = {
                let its = WatchedInstance.at($0)
                its.inner.on_background(its.instance, $1, $2)
            }
        }
        if on_foreground != nil {
            on_foreground = {
                let its = WatchedInstance.at($0)
                its.inner.on_foreground(its.instance, $1, $2)
            }
        }
        if on_start_monitoring != nil {
            on_start_monitoring = {
                let its = WatchedInstance.at($0)
                its.inner.on_start_monitoring(its.instance, $1, $2, $3)
            }
        }
        if update_parameters != nil {
            update_parameters = {
                let its = WatchedInstance.at($0)
                its.inner.update_parameters(its.instance, $1, $2)
            }
        }
    }
}
