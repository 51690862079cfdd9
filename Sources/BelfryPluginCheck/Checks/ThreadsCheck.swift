import Foundation
import Synchronization

extension PluginCheck {
    static let threads = PluginCheck(
        "threads", "What one subject does is nothing to another, one after the other and all at once.",
        kinds: [.strategy, .filter], needs: ["purity"]
    ) { subject in
        let plugin = try subject.load()
        return try subject.forEachInstance(plugin) { stage in
            let alone = try lives(stage) { players in
                for player in players { for scene in Scene.days { player.live(scene) } }
            }
            // An instance that shares something between subjects shares it here too, without any luck.
            let inTurns = try lives(stage) { players in
                for scene in Scene.days { for player in players { player.live(scene) } }
            }
            if let finding = difference(alone, inTurns, "in turns with others", stage) { return finding }
            let together = try crowd(stage)
            return together.lazy.compactMap { difference(alone, $0, "at the same time as others", stage) }.first
        }
    }

    private static let subjects = 8
    private static let threadCount = 4

    /// The answers that each subject got, all of whom are new.
    private static func lives(
        _ stage: Stage, _ play: ([Witness]) -> Void
    ) throws -> [[Answer]] {
        let stage = try stage.understudy()
        Step.begin("the hooks of \(stage.chainable.noun), for \(subjects) subjects")
        let players = (0..<subjects).map { Witness(Player(stage, subject: "subject-\($0)")) }
        play(players)
        return players.map(\.answers)
    }

    /// Some threads on one instance, each with all subjects for itself.
    private static func crowd(_ stage: Stage) throws -> [[[Answer]]] {
        let results = Mutex<[[[Answer]]]>([])
        // Each is used by one thread alone.
        nonisolated(unsafe) let stages = try (0..<threadCount).map { _ in
            try stage.understudy()
        }
        Step.begin("the hooks of \(stage.chainable.noun), on \(threadCount) threads", seconds: 60)
        DispatchQueue.concurrentPerform(iterations: threadCount) { thread in
            let players = (0..<subjects).map { Witness(Player(stages[thread], subject: "subject-\($0)")) }
            for scene in Scene.days { for player in players { player.live(scene, asking: 20) } }
            results.withLock { $0.append(players.map(\.answers)) }
        }
        return results.withLock { $0 }
    }

    private static func difference(
        _ alone: [[Answer]], _ other: [[Answer]], _ how: String, _ stage: Stage
    ) -> CheckFinding? {
        for (alone, other) in zip(alone, other) {
            guard let place = alone.indices.first(where: { alone[$0] != other[$0] }) else { continue }
            return CheckFinding(
                "\(stage.chainable.noun) mixes up subjects",
                why:
                    "to the same question a subject was answered '\(alone[place].text)' alone, and '\(other[place].text)' \(how)",
                fix: "keep what is remembered in the state of the subject, and nothing in globals or in the instance")
        }
        return nil
    }
}

/// A player that remembers its answers.
private final class Witness {
    private let player: Player
    private(set) var answers: [Answer] = []

    init(_ player: Player) { self.player = player }

    /// - Parameter times: how often a check is asked; the plugin has most of the load then, and not the engine.
    func live(_ scene: Scene, asking times: Int = 1) {
        player.play(scene) { [self] call in
            for _ in 1..<(scene.hook.isCheck ? times : 1) { _ = call.answer(scene) }
            if let answer = call.answer(scene) { answers.append(answer) }
        }
    }
}
