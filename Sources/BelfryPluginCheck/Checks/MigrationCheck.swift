import BelfryEngine

extension PluginCheck {
    static let migration = PluginCheck(
        "migration", "A saved state of every earlier version loads, and stays what it became.", kinds: [.strategy],
        needs: ["state"]
    ) { subject in
        let plugin = try subject.load()
        return try subject.forEachInstance(plugin, \.hasEarlierVersions) { stage in
            let player = Player(stage)
            for scene in Scene.days { player.play(scene) }
            guard let saved = player.state?.save() else { return nil }
            for version in 1..<saved.version {
                if let finding = finding(from: version, saved, stage) { return finding }
            }
            return nil
        }
    }

    /// What earlier versions wrote is not known here: they are tried with the keys of today, and with none.
    private static func finding(from version: UInt32, _ today: SavedState, _ stage: Stage) -> CheckFinding? {
        let noun = stage.chainable.noun
        var keys = today
        keys.version = version
        var refusals: [String] = []
        for old in [keys, SavedState(version: version)] {
            Step.begin("state_load of \(noun) from version \(version)")
            guard let state = StateMemory(of: stage) else { return nil }
            if let sentence = state.load(old) {
                refusals.append(sentence)
                continue
            }
            if let finding = instability(of: state, version, stage) { return finding }
        }
        guard refusals.count == 2 || refusals.contains("") else { return nil }
        return CheckFinding(
            "\(noun) does not take state of version \(version)",
            why: "state_load failed: \(refusals[0].orSilence); what everybody has stored would be lost",
            fix:
                "migrate in state_load: read what version \(version) wrote, and take what is missing as its first value"
        )
    }

    /// What it became is of today's version: saved and loaded, it is the same.
    private static func instability(of state: StateMemory, _ version: UInt32, _ stage: Stage) -> CheckFinding? {
        let migrated = state.save()
        guard let copy = StateMemory(of: stage) else { return nil }
        let refusal = copy.load(migrated)
        let again = copy.save()
        if refusal == nil, again == migrated { return nil }
        return CheckFinding(
            "\(stage.chainable.noun) migrates state of version \(version) into something that it does not keep",
            why: refusal.map { "loading what it saved after that failed: \($0.orSilence)" }
                ?? "it saved \(migrated.text); loaded and saved again, that is \(again.text)",
            fix: "leave state_load with a state of version \(migrated.version), whole")
    }
}

extension Chainable {
    fileprivate var hasEarlierVersions: Bool { savesItself && (strategy?.pointee.state_version ?? 0) > 1 }
}
