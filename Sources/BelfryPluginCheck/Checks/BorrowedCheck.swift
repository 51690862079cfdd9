extension PluginCheck {
    /// The findings are last words: memory that is used against the rules ends the process (`LentMemory`).
    static let borrowed = PluginCheck(
        "borrowed", "Borrowed memory is read within its bounds, never written, and not kept.",
        kinds: [.strategy, .filter],
        needs: ["hooks"]
    ) { subject in
        let lent = LentMemory()
        let host = LentHost(subject.services)
        let plugin = try subject.load(host: host.pointer)
        for chainable in try plugin.chainables() {
            // What `create` is lent may be kept until a hook runs: the same memory serves both.
            for parameters in try Casting(chainable, in: subject).sets {
                let stage = try Stage(chainable, parameters, services: subject.services) { _, parameters, error in
                    Step.begin("create of \(chainable.noun)")
                    defer { lent.takeBack() }
                    let typed = parameters.map { lent.lend(value: $0, "the parameters") }
                    return chainable.create(host.pointer, typed, error.map { lent.lend($0.pointee, "the sink") })
                }
                live(Player(stage, lent: lent))
            }
        }
        return []
    }

    private static func live(_ player: Player) {
        let noun = player.stage.chainable.noun
        for scene in Scene.days {
            Step.begin("\(scene.hook.rawValue) of \(noun)")
            player.play(scene)
            guard let state = player.state else { continue }
            Step.begin("state_save of \(noun)")
            let saved = state.save(player.lent)
            Step.begin("state_load of \(noun)")
            _ = StateMemory(of: player.stage, isGuarded: true)?.load(saved, player.lent)
        }
    }
}
