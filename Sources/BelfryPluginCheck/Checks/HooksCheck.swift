extension PluginCheck {
    static let hooks = PluginCheck(
        "hooks", "Every hook comes back, within 100 ms and with an answer that is one.", kinds: [.strategy, .filter],
        needs: ["parameters"]
    ) { subject in
        let plugin = try subject.load()
        return try subject.forEachInstance(plugin) { stage in
            let player = Player(stage)
            for scene in Scene.days {
                guard let finding = finding(in: scene, player) else { continue }
                return finding
            }
            return nil
        }
    }

    /// What a hook may take, in ms: far more than any needs.
    private static let most = 100

    private static func finding(in scene: Scene, _ player: Player) -> CheckFinding? {
        let hook = "\(scene.hook.rawValue) of \(player.stage.chainable.noun)"
        Step.begin(hook)
        let before = player.stage.chainable.isNeverTold(of: scene) ? player.state?.save() : nil
        var (answer, time) = timed { player.play(scene) }
        // A machine may be busy with something else once, but not every time.
        for _ in 0..<4 where time > most {
            let (_, next) = timed { player.play(Scene(hook: scene.hook, outcome: scene.outcome)) }
            time = min(time, next)
        }
        if time > most {
            return CheckFinding(
                "\(hook) is slow", why: "it took \(time) ms at least, five times over; \(most) ms are a lot for a hook",
                fix:
                    "do no waiting and no input or output in a hook, and prepare in create what is the same for all calls"
            )
        }
        if let fault = answer?.fault {
            return CheckFinding(
                "\(hook) gave no answer: \(fault)", why: "a fault counts as a denial where the entry is required",
                fix: "answer abstain, allow, deny or defer with an 'until'; a fault is for what cannot be decided")
        }
        guard let before, before != player.state?.save() else { return nil }
        return CheckFinding(
            "\(hook) makes something of a refusal",
            why: "it changed the state, and the strategy is listed as told of what happened alone: "
                + "the host never tells it of a refusal",
            fix: "change the state only for what was created or deleted, or have it told of every outcome")
    }

    private static func timed(_ body: () -> Answer?) -> (Answer?, milliseconds: Int) {
        let start = ContinuousClock.now
        let answer = body()
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return (answer, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}

extension Chainable {
    /// Whether the scene is a refusal of which the host tells the strategy nothing, since its plugin lists it in `happened`.
    fileprivate func isNeverTold(of scene: Scene) -> Bool {
        [.didCreate, .didDelete].contains(scene.hook) && !scene.outcome && isToldOfHappened
    }
}
