import BelfryEngine

extension PluginCheck {
    static let state = PluginCheck(
        "state", "State survives being saved and loaded, at every moment.", kinds: [.strategy], needs: ["purity"]
    ) { subject in
        let plugin = try subject.load()
        return try subject.forEachInstance(plugin, \.hasState) { stage in
            eachState(of: stage) { player, saved in
                doubledKey(in: saved, stage.chainable.noun) ?? loss(of: saved, player)
            }
        }
    }

    private static func doubledKey(in saved: SavedState, _ noun: String) -> CheckFinding? {
        var keys: Set<String> = []
        guard let doubled = saved.values.first(where: { !keys.insert($0.key).inserted }) else { return nil }
        return CheckFinding(
            "\(noun) saves '\(doubled.key)' twice", why: "each key is kept once",
            fix: "write each key once in state_save")
    }

    /// What is not there any more when a state was saved and loaded.
    private static func loss(of saved: SavedState, _ player: Player) -> CheckFinding? {
        let noun = player.stage.chainable.noun
        Step.begin("state_load of \(noun)")
        guard let copy = StateMemory(of: player.stage) else { return nil }
        if let sentence = copy.load(saved) {
            return CheckFinding(
                "\(noun) cannot load what it saved itself", why: "state_load failed: \(sentence.orSilence)",
                fix: "take in state_load whatever state_save writes")
        }
        let again = copy.save()
        if again == saved { return difference(between: player, and: copy) }
        return CheckFinding(
            "\(noun) loses state when it is saved and loaded",
            why: "it saved \(saved.text); loaded and saved again, that is \(again.text)",
            fix: "read in state_load every key that state_save writes, under the same name and with the same type")
    }

    /// Whether a check answers differently about the loaded state: then something was never saved.
    private static func difference(between player: Player, and copy: StateMemory) -> CheckFinding? {
        var finding: CheckFinding?
        for hook in [Hook.shouldCreate, .shouldDelete] {
            Step.begin("\(hook.rawValue) of \(player.stage.chainable.noun)")
            player.play(Scene(hook: hook)) { call in
                var other = call
                other.otherState = copy
                guard let before = call.answer(Scene(hook: hook)), let after = other.answer(Scene(hook: hook)),
                    before != after
                else { return }
                finding = CheckFinding(
                    "\(player.stage.chainable.noun) loses state when it is saved and loaded",
                    why: "\(hook.rawValue) answered '\(before.text)' before, and '\(after.text)' after",
                    fix: "declare, or write in state_save, everything that a decision rests on")
            }
        }
        return finding
    }

    /// Lives through some days, and looks at what is saved after each scene.
    static func eachState(
        of stage: Stage, _ body: (Player, SavedState) -> CheckFinding?
    ) -> CheckFinding? {
        let player = Player(stage)
        guard let state = player.state else { return nil }
        var last: SavedState?
        for scene in [nil] + Scene.days.map(Optional.some) {
            if let scene { player.play(scene) }
            Step.begin("state_save of \(stage.chainable.noun)")
            let saved = state.save()
            if saved == last { continue }
            last = saved
            if let finding = body(player, saved) { return finding }
        }
        return nil
    }
}

extension SavedState {
    var text: String {
        values.isEmpty ? "nothing" : values.map { "\($0.key) = \($0.value.text)" }.joined(separator: ", ")
    }
}

extension String {
    /// A sentence of a plugin, or that there is none.
    var orSilence: String { isEmpty ? "it does not say why" : self }
}
