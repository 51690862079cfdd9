import BelfryEngine
import BelfryModel
import BelfryPluginHost
import CLinux
import Foundation

extension PluginCheck {
    static let determinism = PluginCheck(
        "determinism", "It asks for no clock, dice or environment, and decides alike in every process.",
        kinds: [.strategy, .filter], needs: ["purity"]
    ) { subject in
        // Before the plugin is there, which may change it.
        let environment = ProcessInfo.processInfo.environment
        let transcript = try Transcript(subject)
        if let finding = transcript.worldCall { return [finding] }
        // A twin answers with what it saw. Its hash tables are seeded differently, and its memory lies elsewhere.
        guard subject.options.isTwin != true else { return [CheckFinding(transcript.digest, why: "", fix: "")] }
        var options = subject.options
        options.isTwin = true
        let twin = try other(subject, options, environment)
        guard let twin, twin != transcript.digest else { return [] }
        return [
            CheckFinding(
                "it decides differently in another process",
                why: "the same subjects with the same parameters got other answers",
                fix: "do not let the order of a hash table, an address or anything else of the process decide")
        ]
    }

    /// What the same check says in another process.
    private static func other(
        _ subject: CheckCase, _ options: CheckOptions, _ environment: [String: String]
    ) throws -> String? {
        let text = String(decoding: try JSONEncoder().encode(options), as: UTF8.self)
        Step.begin("the same in another process", seconds: 60)
        let result = ChildProcess.run(
            "/proc/self/exe", ["plugins", "check-one", "determinism", subject.path, text],
            environment: environment, deadline: .minutes(1))
        guard let result,
            case .findings(let findings) = try JSONDecoder().decode(CheckAnswer.self, from: Data(result.output))
        else { return nil }
        return findings.first?.what
    }
}

/// Everything that was answered, and what was asked of the world on the way.
private struct Transcript {
    private(set) var worldCall: CheckFinding?
    private var text = ""

    init(_ subject: CheckCase) throws {
        let plugin = try subject.load()
        for casting in try subject.castings(plugin) {
            for parameters in casting.sets {
                belfry_forget_world_calls()
                let stage = try Stage(casting.chainable, parameters, services: subject.services)
                note("create", casting.chainable)
                let player = Player(stage)
                for scene in Scene.days {
                    Step.begin("\(scene.hook.rawValue) of \(casting.chainable.noun)")
                    text += player.play(scene)?.text ?? ""
                    note(scene.hook.rawValue, casting.chainable)
                }
                text += player.state?.save().text ?? ""
            }
        }
    }

    var digest: String { String(stableHash(text), radix: 16) }

    private mutating func note(_ hook: String, _ chainable: Chainable) {
        guard worldCall == nil, let name = belfry_first_world_call() else { return }
        worldCall = CheckFinding(
            "\(chainable.noun) asks the system for '\(String(cString: name))' in \(hook)",
            why: "replay, simulation and explain ask again later, and must get the same answer",
            fix:
                "take the time from the context ('now'), and leave the rest: a decision rests on parameters, state and context"
        )
    }
}
