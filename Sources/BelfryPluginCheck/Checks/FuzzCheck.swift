import BelfryEngine
import BelfryModel
import CBelfry

extension PluginCheck {
    /// The findings are last words: what is looked for ends the process.
    static let fuzz = PluginCheck(
        "fuzz", "It survives odd candidates, times, orders of events, saved states and parameters, made by chance.",
        kinds: [.strategy, .filter], needs: ["hooks"]
    ) { subject in
        let plugin = try subject.load()
        for casting in try subject.castings(plugin) {
            let stages = try casting.sets.map { try Stage(casting.chainable, $0, services: subject.services) }
            for number in 0..<subject.options.fuzz {
                OddLife(stages[number % stages.count], number, subject.options.seed).live()
            }
        }
        return []
    }
}

/// A short life of odd circumstances.
private final class OddLife {
    private let player: Player
    private let place: String
    private var chance: Chance

    /// Each case has chances of its own, so that one can be made again without those before it.
    init(_ stage: Stage, _ number: Int, _ seed: UInt64) {
        player = Player(stage)
        place = "case \(number) of seed \(seed)"
        chance = Chance(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    }

    func live() {
        player.stage.call(player.moment) { [self] candidate, context in
            for _ in 0..<chance.number(in: 1...16) { makeOddCall(candidate.pointee, context.pointee) }
        }
        loadOddState()
        makeOddInstance()
    }

    private func begin(_ function: String) { Step.begin("\(function) of \(player.stage.chainable.noun), \(place)") }

    private func makeOddCall(_ candidate: belfry_candidate, _ context: belfry_context) {
        let scene = Scene(hook: chance.element(of: Hook.allCases), outcome: chance.flip())
        let odd = OddCircumstances(candidate, context, &chance)
        begin(scene.hook.rawValue)
        // What is lent lies in its arena.
        withExtendedLifetime(odd) {
            withUnsafePointer(to: odd.candidate) { candidate in
                withUnsafePointer(to: odd.context) { context in
                    _ = HookCall(
                        player: player, candidate: candidate, context: context, otherReceipt: odd.receipt
                    ).answer(scene)
                }
            }
        }
    }

    /// What was saved, with other values under its keys.
    private func loadOddState() {
        guard var odd = player.state?.save(), let state = StateMemory(of: player.stage) else { return }
        for index in odd.values.indices where chance.flip() { odd.values[index].value = chance.stateValue() }
        begin("state_load")
        guard state.load(odd) == nil else { return }
        begin("state_save")
        _ = state.save()
    }

    /// Its parameters by their names, with any values.
    private func makeOddInstance() {
        let chainable = player.stage.chainable
        var fields = Fields()
        for member in ParameterSchema(root: chainable.description).members where chance.flip() {
            fields[member.name] = chance.value(depth: 0)
        }
        let arena = Arena()
        begin("create")
        let made = withExtendedLifetime(arena) {
            collectText { chainable.create(player.stage.services.pointer, arena.value(.map(fields)), $0) }.result
        }
        if let made { chainable.destroy(made) }
    }
}

/// A candidate, a context and a receipt that no configuration of good taste would make, but that may come.
private final class OddCircumstances {
    private(set) var candidate: belfry_candidate
    private(set) var context: belfry_context
    private(set) var receipt = belfry_receipt()
    private let arena = Arena()

    init(_ candidate: belfry_candidate, _ context: belfry_context, _ chance: inout Chance) {
        self.candidate = candidate
        self.context = context
        for member in Self.texts where chance.flip() { self.candidate[keyPath: member] = text(&chance) }
        if chance.flip() { self.candidate.data = arena.value(chance.value(depth: 0)) }
        if chance.flip() { self.candidate.presentation = chance.flip() ? nil : arena.value(chance.value(depth: 0)) }
        if chance.flip() { self.candidate.region_fields = chance.flip() ? nil : arena.value(chance.fields()) }
        self.candidate.kind = chance.flip() ? BELFRY_KIND_GEOTRIGGER : BELFRY_KIND_NOTIFICATION
        self.candidate.deferred = chance.flip() ? 1 : 0
        self.candidate.priority = chance.integer()
        self.context.now = chance.instant()
        self.context.subject = required(text(&chance))
        if chance.flip() { self.context.channel = text(&chance) }
        self.context.app = UInt32(chance.number(in: 0...2))
        self.context.app_since = self.context.app == BELFRY_APP_UNKNOWN ? 0 : chance.instant()
        self.candidate.campaign = required(self.candidate.campaign)
        receipt.outcome = UInt32(chance.number(in: 1...3))
        receipt.created_at = chance.instant()
        receipt.sink = text(&chance)
        if receipt.outcome == BELFRY_RECEIPT_FAILED { receipt.reason = text(&chance) }
    }

    private static var texts: [WritableKeyPath<belfry_candidate, belfry_text>] {
        [
            \.campaign, \.trigger, \.event, \.region, \.region_name, \.notification, \.counter, \.title, \.message,
            \.handler,
            \.category,
        ]
    }

    private func text(_ chance: inout Chance) -> belfry_text {
        if chance.number(in: 0...5) == 0 { return belfry_text() }
        return arena.value(.text(chance.text()))?.pointee.text ?? belfry_text()
    }

    /// Some texts are always there.
    private func required(_ text: belfry_text) -> belfry_text {
        text.bytes == nil ? belfry_text(constant: "x") : text
    }
}
