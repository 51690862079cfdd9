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
    /// Its hook for receipts, and what the engine gets of it; nil: it has none.
    let receipts: UnsafePointer<belfry_receipt_hook>?
    /// Whether it need not be told of every outcome.
    let outcomes: UnsafePointer<belfry_outcomes>?
    let receiptTable: UnsafePointer<belfry_receipt_hook>?
    private let reasons = ReasonCollector()
    /// How the state lies in memory; nil if it keeps none.
    private let layout: StateLayout?
    /// Texts and lists of a state with a past.
    private let arena = Arena()
    /// How often it was asked, and what it answered last.
    private(set) var questions = 0
    private(set) var lastVerdict: Verdict?
    /// The first check that was not pure: what it did.
    private(set) var impurity: String?
    /// The first hook that said that it changed nothing, and changed the state.
    private(set) var untruth: String?
    /// How it first answered otherwise after its state was stored and read back.
    private(set) var loss: String?
    /// What an earlier version of the strategy saved: new states begin with it.
    var past: SavedState?
    /// The time at which that is loaded.
    var pastTime = Instant.distantPast
    /// Why `past` could not be loaded.
    private(set) var refusal: String?

    /// Whether it has a state, and does not declare its fields.
    var savesItself: Bool { layout?.isDeclared == false }

    init(
        _ strategy: UnsafePointer<belfry_strategy>, receipts: UnsafePointer<belfry_receipt_hook>? = nil,
        outcomes: UnsafePointer<belfry_outcomes>? = nil
    ) {
        self.strategy = strategy
        (self.receipts, self.outcomes) = (receipts, outcomes)
        receiptTable = receipts.map(\.pointee.passingOn)
        layout = StateLayout(strategy)
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
        let now = Instant(milliseconds: context?.pointee.now ?? 0)
        let first = reasons.verdict(check(instance, state, candidate, context, reasons.begin()), at: now)
        let second = reasons.verdict(check(instance, state, candidate, context, reasons.begin()), at: now)
        let after = saved(state)
        if before != after { report("\(name) changed the state from \(text(before)) to \(text(after))") }
        if first != second { report("\(name) answered '\(first.text)', and asked again '\(second.text)'") }
        questions += 1
        lastVerdict = second
        return check(instance, state, candidate, context, answer)
    }

    /// Passes on what is told, and looks at whether an unchanged state is unchanged, and a changed one is stored as a whole.
    fileprivate func tell(
        _ name: String, _ its: WatchedInstance, _ state: UnsafeMutableRawPointer?,
        _ candidate: UnsafePointer<belfry_candidate>?, _ context: UnsafePointer<belfry_context>?,
        _ hook: () -> belfry_told
    ) -> belfry_told {
        let before = saved(state)
        let told = hook()
        let after = saved(state)
        if told == BELFRY_TOLD_UNCHANGED, before != after, untruth == nil {
            untruth = "\(name) said that it changed nothing, and the state was \(text(before)), and is \(text(after))"
        }
        if told == BELFRY_TOLD_CHANGED, loss == nil, let state, let candidate, let context {
            loss = difference(its.instance, state, after, candidate, context).map { "after \(name) \($0)" }
        }
        return told
    }

    /// What shouldCreate answers otherwise about a state that was stored and read back.
    private func difference(
        _ instance: UnsafeMutableRawPointer, _ state: UnsafeMutableRawPointer, _ values: [StatePair],
        _ candidate: UnsafePointer<belfry_candidate>, _ context: UnsafePointer<belfry_context>
    ) -> String? {
        guard let layout else { return nil }
        let (table, texts) = (strategy.pointee, Arena())
        let copy = UnsafeMutableRawPointer.allocate(byteCount: layout.size, alignment: 16)
        defer { copy.deallocate() }
        if layout.isDeclared {
            layout.restore(values, into: copy, texts)
        } else {
            table.state_init(table.type, copy)
            let source = StateSource(values) { texts.copy($0) }
            _ = collectText { error in
                source.withReader {
                    table.state_load(table.type, copy, table.state_version, context.pointee.now, $0, error)
                }
            }
        }
        defer { if !layout.isDeclared { table.state_destroy(table.type, copy) } }
        let now = Instant(milliseconds: context.pointee.now)
        func answer(_ state: UnsafeMutableRawPointer) -> Verdict {
            reasons.verdict(table.should_create(instance, state, candidate, context, reasons.begin()), at: now)
        }
        let (without, with) = (answer(state), answer(copy))
        return without == with ? nil : "shouldCreate answers '\(with.text)' then, and without '\(without.text)'"
    }

    /// A new state, or one with a past.
    fileprivate func begin(_ state: UnsafeMutableRawPointer?) {
        let table = strategy.pointee
        guard let layout, let state else { return }
        if layout.isDeclared {
            state.copyMemory(from: layout.new, byteCount: layout.size)
        } else {
            table.state_init(table.type, state)
        }
        guard let past else { return }
        if layout.isDeclared { return layout.load(past.values, into: state, arena) }
        let answer = collectText { error in
            StateSource(past.values) { [arena] in arena.copy($0) }.withReader {
                table.state_load(table.type, state, past.version, pastTime.milliseconds, $0, error)
            }
        }
        if answer.result != BELFRY_OK { refusal = answer.text }
    }

    /// Loads into a state that has no past.
    fileprivate func load(
        _ state: UnsafeMutableRawPointer?, _ version: UInt32, _ now: Int64,
        _ reader: UnsafePointer<belfry_state_reader>?, _ error: UnsafePointer<belfry_sink>?
    ) -> belfry_status {
        let table = strategy.pointee
        if past != nil {
            table.state_destroy(table.type, state)
            table.state_init(table.type, state)
        }
        return table.state_load(table.type, state, version, now, reader, error)
    }

    private func report(_ impurity: String) {
        self.impurity = self.impurity ?? impurity
    }

    private func saved(_ state: UnsafeRawPointer?) -> [StatePair] {
        guard let layout, let state else { return [] }
        if layout.isDeclared { return layout.values(in: state) ?? [] }
        let collector = StateCollector()
        collector.withWriter { strategy.pointee.state_save(strategy.pointee.type, state, $0) }
        return collector.values
    }

    private func text(_ values: [StatePair]) -> String {
        values.isEmpty ? "nothing" : values.map { "\($0.key) = \($0.value.text)" }.joined(separator: ", ")
    }
}

private typealias WatchedInstance = Watched<WatchedStrategy>

extension Watched<WatchedStrategy> {
    fileprivate var inner: belfry_strategy { watched.strategy.pointee }
}

// C functions cannot capture: each finds the strategy through the `type` or the instance it is given. What the strategy
// left out stays left out.
extension belfry_strategy {
    fileprivate mutating func passOnLifecycle() {
        create = { type, host, parameters, error in
            let watch = WatchedInstance.watch(of: type)
            let inner = watch.strategy.pointee
            guard let made = inner.create(inner.type, host, parameters, error) else { return nil }
            return WatchedInstance.make(watch, made)
        }
        destroy = { instance in
            let watched = WatchedInstance.at(instance)
            watched.inner.destroy(watched.instance)
            instance?.deallocate()
        }
    }

    fileprivate mutating func passOnState() {
        if state_size == 0 { return }
        state_init = { WatchedInstance.watch(of: $0).begin($1) }
        if field_count > 0 { return }
        state_destroy = {
            let inner = WatchedInstance.watch(of: $0).strategy.pointee
            inner.state_destroy(inner.type, $1)
        }
        state_load = { WatchedInstance.watch(of: $0).load($1, $2, $3, $4, $5) }
        state_save = {
            let inner = WatchedInstance.watch(of: $0).strategy.pointee
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
                let (its, state, candidate, created, context, error) = (WatchedInstance.at($0), $1, $2, $3, $4, $5)
                return its.watched.tell("didCreate", its, state, candidate, context) {
                    its.inner.did_create(its.instance, state, candidate, created, context, error)
                }
            }
        }
        if did_delete != nil {
            did_delete = {
                let (its, state, candidate, deleted, context, error) = (WatchedInstance.at($0), $1, $2, $3, $4, $5)
                return its.watched.tell("didDelete", its, state, candidate, context) {
                    its.inner.did_delete(its.instance, state, candidate, deleted, context, error)
                }
            }
        }
        if on_opened != nil {
            on_opened = {
                let (its, state, candidate, context, error) = (WatchedInstance.at($0), $1, $2, $3, $4)
                return its.watched.tell("onOpened", its, state, candidate, context) {
                    its.inner.on_opened(its.instance, state, candidate, context, error)
                }
            }
        }
    }

    fileprivate mutating func passOnMoves() {
        if on_background != nil {
            on_background = {
                let (its, state, context, error) = (WatchedInstance.at($0), $1, $2, $3)
                return its.watched.tell("onBackground", its, state, nil, context) {
                    its.inner.on_background(its.instance, state, context, error)
                }
            }
        }
        if on_foreground != nil {
            on_foreground = {
                let (its, state, context, error) = (WatchedInstance.at($0), $1, $2, $3)
                return its.watched.tell("onForeground", its, state, nil, context) {
                    its.inner.on_foreground(its.instance, state, context, error)
                }
            }
        }
        if on_start_monitoring != nil {
            on_start_monitoring = {
                let (its, state, region, context, error) = (WatchedInstance.at($0), $1, $2, $3, $4)
                return its.watched.tell("onStartMonitoring", its, state, nil, context) {
                    its.inner.on_start_monitoring(its.instance, state, region, context, error)
                }
            }
        }
        if update_parameters != nil {
            update_parameters = {
                let (its, state, context, error) = (WatchedInstance.at($0), $1, $2, $3)
                return its.watched.tell("updateParameters", its, state, nil, context) {
                    its.inner.update_parameters(its.instance, state, context, error)
                }
            }
        }
    }
}

extension belfry_receipt_hook {
    /// A table that passes every call on. Valid until the process ends.
    fileprivate var passingOn: UnsafePointer<belfry_receipt_hook> {
        let table = UnsafeMutablePointer<belfry_receipt_hook>.allocate(capacity: 1)
        table.initialize(to: self)
        table.pointee.on_receipt = {
            let (its, state, candidate, receipt, context, error) = (WatchedInstance.at($0), $1, $2, $3, $4, $5)
            return its.watched.tell("onReceipt", its, state, candidate, context) {
                // Only a strategy that has the hook gets this table.
                its.watched.receipts!.pointee.on_receipt(its.instance, state, candidate, receipt, context, error)
            }
        }
        return UnsafePointer(table)
    }
}
