import CLinux

extension PluginCheck {
    static let memory = PluginCheck(
        "memory", "After 100,000 calls it holds as much memory as before.", kinds: [.strategy, .filter],
        needs: ["hooks"]
    ) { subject in
        let plugin = try subject.load()
        return try subject.castings(plugin).compactMap { casting in
            // The richest parameters say enough, and every set would take its time.
            let stage = try Stage(casting.chainable, casting.sets.last ?? nil, services: subject.services)
            let lives = Lives(stage)
            lives.run()
            let before = Int(belfry_bytes_in_use())
            var growths: [Int] = []
            var calls = 0
            for _ in 0..<rounds {
                let start = Int(belfry_bytes_in_use())
                calls += lives.run()
                growths.append(Int(belfry_bytes_in_use()) - start)
            }
            let growth = Int(belfry_bytes_in_use()) - before
            guard growth > calls, growths.allSatisfy({ $0 > 0 }) else { return nil }
            return CheckFinding(
                "\(casting.chainable.noun) leaks memory",
                why: "it holds \(growth) bytes more after \(calls) calls, though every state was destroyed",
                fix: "free in state_destroy and destroy what was allocated, and in a hook what it allocated; "
                    + "keep nothing per subject outside the state")
        }
    }

    private static let rounds = 10
}

/// Lives of subjects, one after the other, with as little of the host in between as can be.
private final class Lives {
    private let stage: Stage
    private static let callsPerRound = 10_000

    init(_ stage: Stage) { self.stage = stage }

    /// Returns how many calls there were.
    @discardableResult
    func run() -> Int {
        Step.begin("the hooks of \(stage.chainable.noun), called again and again", seconds: 60)
        var calls = 0
        stage.call(Moment()) { [stage] candidate, context in
            guard calls == 0 else { return }
            while calls < Self.callsPerRound {
                let player = Player(stage)
                let call = HookCall(player: player, candidate: candidate, context: context, isQuick: true)
                for _ in 0..<4 {
                    for hook in Hook.allCases where call.answer(Scene(hook: hook)) != nil { calls += 1 }
                }
                if let state = player.state {
                    _ = StateMemory(of: stage)?.load(state.save())
                    calls += 2
                }
            }
        }
        return calls
    }
}
