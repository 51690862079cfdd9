import BelfryEngine

extension PluginCheck {
    static let unknownKeys = PluginCheck(
        "unknown-keys", "State loads when keys are missing, or there are some that it does not know.",
        kinds: [.strategy], needs: ["state"]
    ) { subject in
        let plugin = try subject.load()
        return try subject.forEachInstance(plugin, \.savesItself) { stage in
            eachState(of: stage) { _, saved in
                var more = saved
                more.values.append(StatePair(key: "belfry.unknown", value: .text("of another version")))
                more.values.append(StatePair(key: "belfry.numbers", value: .integers([1, 2, 3])))
                return refusal(of: SavedState(version: saved.version), "no keys", stage)
                    ?? refusal(of: more, "keys that it does not know", stage) ?? change(from: saved, more, stage)
            }
        }
    }

    private static func refusal(of saved: SavedState, _ what: String, _ stage: Stage) -> CheckFinding? {
        Step.begin("state_load of \(stage.chainable.noun) with \(what)")
        guard let sentence = StateMemory(of: stage)?.load(saved) else { return nil }
        return CheckFinding(
            "\(stage.chainable.noun) cannot load a state with \(what)",
            why: "state_load failed: \(sentence.orSilence)",
            fix: "ask for the keys that are wanted, and take what is missing as its first value")
    }

    private static func change(from saved: SavedState, _ more: SavedState, _ stage: Stage) -> CheckFinding? {
        guard let copy = StateMemory(of: stage), copy.load(more) == nil else { return nil }
        let again = copy.save()
        if again == saved { return nil }
        return CheckFinding(
            "\(stage.chainable.noun) reads a state differently beside keys that it does not know",
            why: "it saved \(saved.text), and then \(again.text)", fix: "ask for keys by their whole names")
    }
}
