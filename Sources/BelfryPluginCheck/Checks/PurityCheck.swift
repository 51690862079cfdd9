extension PluginCheck {
    static let purity = PluginCheck(
        "purity", "Checks leave the state alone and give the same answer when they are asked again.",
        kinds: [.strategy, .filter], needs: ["hooks"]
    ) { subject in
        try subject.forEachQuestion(subject.load()) { impurity(of: $0, $1) }
    }

    private static func impurity(of scene: Scene, _ player: Player) -> CheckFinding? {
        let hook = "\(scene.hook.rawValue) of \(player.stage.chainable.noun)"
        var finding: CheckFinding?
        Step.begin(hook)
        player.play(scene) { call in
            let before = player.state.map { ($0.bytes, $0.save()) }
            let first = call.answer(scene)
            let second = call.answer(scene)
            if let before, let state = player.state {
                finding = change(hook, from: before.0, to: state.bytes, isSaved: before.1 != state.save())
            }
            if finding == nil, let first, let second, first != second {
                finding = CheckFinding(
                    "\(hook) answers differently when it is asked twice",
                    why: "it answered '\(first.text)', and asked again '\(second.text)'",
                    fix: "decide from parameters, state, candidate and context alone, and remember nothing in between")
            }
        }
        return finding
    }

    private static func change(_ hook: String, from before: [UInt8], to after: [UInt8], isSaved: Bool) -> CheckFinding?
    {
        let place = before.indices.first { before[$0] != after[$0] }
        guard place != nil || isSaved else { return nil }
        return CheckFinding(
            "\(hook) changes the state",
            why: place.map { "byte \($0) of \(before.count) was \(before[$0]) before it, and is \(after[$0]) after it" }
                ?? "what is saved is not what was saved before it",
            fix:
                "write the state in did_create and did_delete only; checks are asked as often as somebody wants to know"
        )
    }
}
