import BelfryEngine
import BelfryModel
import BelfryPluginHost

/// Instances of everything that stands in a chain, made from parameters that the plugin accepts.
struct Casting {
    let chainable: Chainable
    /// Never empty.
    let sets: [Value?]

    /// At most so many instances of one strategy are tried.
    private static let most = 6

    /// Tries the parameters that were given, else those made from the description.
    ///
    /// - Throws: the last refusal, if the plugin accepts none of them.
    init(_ chainable: Chainable, in subject: CheckCase) throws(NoInstance) {
        self.chainable = chainable
        var accepted: [Value?] = []
        var refusal = ""
        let samples = Self.candidates(chainable, subject)
        for parameters in samples {
            Step.begin("create of \(chainable.noun)")
            do throws(ConfigurationProblems) {
                let stage = try Stage(chainable, parameters, services: subject.services)
                if stage.instance != nil { accepted.append(parameters) }
            } catch {
                refusal = error.problems.first?.sentence ?? ""
            }
        }
        if accepted.isEmpty { throw NoInstance(noun: chainable.noun, count: samples.count, refusal: refusal) }
        // The smallest one, and the richest.
        sets = Array(accepted.prefix(1) + accepted.dropFirst().suffix(Self.most - 1))
    }

    static func candidates(_ chainable: Chainable, _ subject: CheckCase) -> [Value?] {
        if let given = subject.options.parameters { return [given.value] }
        return (subject.options.configured[chainable.name] ?? []).map(Optional.some)
            + ParameterSamples(ParameterSchema(root: chainable.description)).sets
    }

    /// The plugin accepts no parameters, so there is nothing to try.
    struct NoInstance: Error {
        /// As a sentence calls what stands in the chain.
        let noun: String
        /// How many sets of parameters were tried.
        let count: Int
        let refusal: String

        var finding: CheckFinding {
            CheckFinding(
                "\(noun) accepts no parameters",
                why: "of \(count) that were tried it refused all, the last one so: \(refusal)",
                fix: "describe what it needs, or give parameters that it accepts with --with or --config")
        }
    }
}

extension CheckCase {
    /// Everything of the plugin that stands in a chain, with parameters that it accepts; `parameters` has complained of the others.
    func castings(_ plugin: LoadedPlugin, _ isMeant: (Chainable) -> Bool = { _ in true }) throws -> [Casting] {
        try plugin.chainables(isMeant).map { try Casting($0, in: self) }
    }

    /// Tries something with each instance; what is wrong is told once for each strategy or filter.
    func forEachInstance(
        _ plugin: LoadedPlugin, _ isMeant: (Chainable) -> Bool = { _ in true }, _ body: (Stage) throws -> CheckFinding?
    ) throws -> [CheckFinding] {
        try castings(plugin, isMeant).compactMap { casting in
            for parameters in casting.sets {
                let stage = try Stage(casting.chainable, parameters, services: services)
                if let finding = try body(stage) { return finding }
            }
            return nil
        }
    }

    /// Plays the days of each instance, of which `body` has the scenes that ask something.
    func forEachQuestion(
        _ plugin: LoadedPlugin, _ body: (Scene, Player) -> CheckFinding?
    ) throws -> [CheckFinding] {
        try forEachInstance(plugin) { stage in
            let player = Player(stage)
            for scene in Scene.days {
                if !scene.hook.isCheck {
                    player.play(scene)
                } else if let finding = body(scene, player) {
                    return finding
                }
            }
            return nil
        }
    }
}
