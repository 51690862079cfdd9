import BelfryEngine

extension PluginCheck {
    static let parameters = PluginCheck(
        "parameters", "It makes instances from parameters that fit its description, and from no others.",
        kinds: [.strategy, .filter], needs: ["identity", "tables", "description"]
    ) { subject in
        let plugin = try subject.load()
        return try plugin.chainables().flatMap { chainable -> [CheckFinding] in
            do throws(Casting.NoInstance) {
                let casting = try Casting(chainable, in: subject)
                return wrongParameters(casting, subject)
            } catch {
                return [error.finding]
            }
        }
    }

    private static func wrongParameters(_ casting: Casting, _ subject: CheckCase) -> [CheckFinding] {
        let trial = WrongParameters(casting.chainable, subject.services.pointer)
        for parameters in casting.sets + Casting.candidates(casting.chainable, subject) where trial.finding == nil {
            // What the plugin refuses here is what it refuses without a word, or rightly.
            _ = try? Stage(casting.chainable, parameters, services: subject.services, creation: trial.create)
        }
        if trial.finding == nil { trial.tryWholes() }
        return trial.finding.map { [$0] } ?? []
    }
}
