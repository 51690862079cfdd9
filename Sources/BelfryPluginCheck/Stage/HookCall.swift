import BelfryEngine
import BelfryModel
import CBelfry

/// What a hook answered; outcome hooks answer nothing.
enum Answer: Hashable {
    case verdict(Verdict)
    case edits(Decision.Content, dropped: String?)
    case nothing

    /// To stand behind "it answered".
    var text: String {
        switch self {
        case .verdict(let verdict): verdict.answer
        case .edits(_, let dropped?): "drop: \(dropped)"
        case .edits(let content, nil): Value.map(Decision.Origin(campaign: "").payload(content)).json
        case .nothing: "nothing"
        }
    }

    /// What the host would take for a fault.
    var fault: String? {
        if case .verdict(.fault(let message)) = self { message } else { nil }
    }
}

/// One occasion to call hooks of the player's plugin: the candidate and the context that the engine lends.
struct HookCall {
    let player: Player
    var candidate: UnsafePointer<belfry_candidate>
    var context: UnsafePointer<belfry_context>
    /// In place of the player's own.
    var otherState: StateMemory?
    /// In place of what the scene says.
    var otherReceipt: belfry_receipt?
    /// Whether a plugin is believed when it says that it changed nothing.
    var isQuick = false

    private var instance: UnsafeMutableRawPointer? { player.stage.instance }
    private var stateMemory: StateMemory? { otherState ?? player.state }
    private var state: UnsafeMutableRawPointer? { stateMemory?.memory }

    /// Calls the hook of a scene; nil if the plugin has none.
    func answer(_ scene: Scene) -> Answer? {
        guard player.stage.chainable.has(scene.hook) else { return nil }
        var candidate = candidate.pointee
        if scene.hook.isAboutNotification { candidate.notification = belfry_text(constant: "sale/1") }
        guard let lent = player.lent else {
            return withUnsafePointer(to: candidate) { call(scene, $0, context, nil) }
        }
        defer { lent.takeBack() }
        let lentContext = LentContext(context, lent, player.stage.services)
        return withExtendedLifetime(lentContext) {
            call(scene, lent.lend(candidate), lentContext.lend(), lent)
        }
    }

    private func call(
        _ scene: Scene, _ candidate: UnsafePointer<belfry_candidate>, _ context: UnsafePointer<belfry_context>,
        _ lent: LentMemory?
    ) -> Answer {
        switch player.stage.chainable {
        case .strategy(let table, _): call(table.pointee, scene, candidate, context, lent)
        case .filter(let table): apply(table.pointee, candidate, context, lent)
        }
    }

    private func call(
        _ table: belfry_strategy, _ scene: Scene, _ candidate: UnsafePointer<belfry_candidate>,
        _ context: UnsafePointer<belfry_context>, _ lent: LentMemory?
    ) -> Answer {
        let (instance, state, outcome) = (instance, state, belfry_bool(scene.outcome ? 1 : 0))
        return switch scene.hook {
        case .shouldCreate: ask(table.should_create, candidate, context, lent)
        case .shouldDelete: ask(table.should_delete, candidate, context, lent)
        case .didCreate: tell(lent) { table.did_create(instance, state, candidate, outcome, context, $0) }
        case .didDelete: tell(lent) { table.did_delete(instance, state, candidate, outcome, context, $0) }
        case .onOpened: tell(lent) { table.on_opened(instance, state, candidate, context, $0) }
        case .onReceipt: receive(scene, candidate, context, lent)
        case .onBackground: tell(lent) { table.on_background(instance, state, context, $0) }
        case .onForeground: tell(lent) { table.on_foreground(instance, state, context, $0) }
        case .onStartMonitoring: monitor(table, context, lent)
        case .updateParameters: tell(lent) { table.update_parameters(instance, state, context, $0) }
        case .apply: .nothing
        }
    }

    private func tell(
        _ lent: LentMemory?, _ hook: (UnsafePointer<belfry_sink>) -> belfry_told
    ) -> Answer {
        let telling = { (sink: UnsafePointer<belfry_sink>) in hook(lent?.lend(sink.pointee, "the sink") ?? sink) }
        let fault: String? =
            if let stateMemory { stateMemory.tell(isQuick: isQuick, telling) } else { Telling(telling).failure }
        return fault.map { .verdict(.fault($0)) } ?? .nothing
    }

    private func monitor(
        _ table: belfry_strategy, _ context: UnsafePointer<belfry_context>, _ lent: LentMemory?
    ) -> Answer {
        withUnsafePointer(to: belfry_text(constant: "store")) { region in
            let region = lent?.lend(text: region.pointee, "the region") ?? region
            return tell(lent) { table.on_start_monitoring(instance, state, region, context, $0) }
        }
    }

    private func receive(
        _ scene: Scene, _ candidate: UnsafePointer<belfry_candidate>, _ context: UnsafePointer<belfry_context>,
        _ lent: LentMemory?
    ) -> Answer {
        guard let hook = player.stage.chainable.receiptHook?.pointee.on_receipt else { return .nothing }
        return withUnsafePointer(to: otherReceipt ?? receipt(in: scene)) { receipt in
            let receipt = lent?.lend(receipt.pointee) ?? receipt
            return tell(lent) { hook(instance, state, candidate, receipt, context, $0) }
        }
    }

    private func receipt(in scene: Scene) -> belfry_receipt {
        var receipt = belfry_receipt()
        receipt.outcome = scene.outcome ? BELFRY_RECEIPT_DELIVERED : BELFRY_RECEIPT_FAILED
        receipt.created_at = player.createdAt.milliseconds
        receipt.sink = belfry_text(constant: "push")
        if !scene.outcome { receipt.reason = belfry_text(constant: "the device is gone") }
        return receipt
    }

    private func ask(
        _ check: Check, _ candidate: UnsafePointer<belfry_candidate>, _ context: UnsafePointer<belfry_context>,
        _ lent: LentMemory?
    ) -> Answer {
        let reason = player.reasons.begin()
        let verdict = check(instance, state, candidate, context, lent?.lend(reason.pointee, "the reason") ?? reason)
        return .verdict(player.reasons.verdict(verdict, at: Instant(milliseconds: context.pointee.now)))
    }

    private typealias Check =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeRawPointer?, UnsafePointer<belfry_candidate>?,
            UnsafePointer<belfry_context>?,
            UnsafePointer<belfry_reason>?
        ) -> belfry_verdict

    private func apply(
        _ table: belfry_filter, _ candidate: UnsafePointer<belfry_candidate>, _ context: UnsafePointer<belfry_context>,
        _ lent: LentMemory?
    ) -> Answer {
        let collector = EditCollector(Decision.Content())
        let outcome = collectText { error in
            collector.withEdits { edits in
                table.apply(
                    instance, candidate, context, lent?.lend(edits.pointee, "the edits") ?? edits,
                    lent?.lend(error.pointee, "the sink") ?? error)
            }
        }
        if outcome.result != BELFRY_OK {
            return .verdict(.fault(outcome.text.orWordlessFailure))
        }
        if let nonsense = collector.nonsense { return .verdict(.fault(nonsense)) }
        return .edits(collector.content, dropped: collector.dropped)
    }
}

extension Hook {
    /// Whether the candidate is a notification that exists.
    fileprivate var isAboutNotification: Bool { [.shouldDelete, .didDelete, .onOpened, .onReceipt].contains(self) }
}

extension Chainable {
    func has(_ hook: Hook) -> Bool {
        guard let table = strategy?.pointee else { return hook == .apply }
        return switch hook {
        case .shouldCreate: table.should_create != nil
        case .didCreate: table.did_create != nil
        case .shouldDelete: table.should_delete != nil
        case .didDelete: table.did_delete != nil
        case .onOpened: table.on_opened != nil
        case .onReceipt: receiptHook?.pointee.on_receipt != nil
        case .onBackground: table.on_background != nil
        case .onForeground: table.on_foreground != nil
        case .onStartMonitoring: table.on_start_monitoring != nil
        case .updateParameters: table.update_parameters != nil
        case .apply: false
        }
    }
}

extension belfry_text {
    init(constant: StaticString) {
        self.init(
            bytes: UnsafeRawPointer(constant.utf8Start).assumingMemoryBound(to: CChar.self),
            length: UInt64(constant.utf8CodeUnitCount))
    }
}

extension Verdict {
    fileprivate var answer: String {
        switch self {
        case .abstain: "abstain"
        case .allow: "allow"
        case .deny(let reason): "deny \(reason.answer)"
        case .defer(let reason): "defer \(reason.answer)"
        case .collect(let reason): "collect \(reason.answer)"
        case .withhold(let reason): "withhold \(reason.answer)"
        case .fault(let message): "fault: \(message)"
        }
    }
}

extension Reason {
    fileprivate var answer: String { (until.map { "until \($0)" } ?? "for ever") + ": \(message)" }
}
