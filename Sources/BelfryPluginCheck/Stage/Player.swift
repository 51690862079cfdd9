import BelfryEngine
import BelfryModel

/// One subject on the stage: lives through scenes, with a state of its own.
final class Player {
    let stage: Stage
    let state: StateMemory?
    private(set) var moment: Moment
    /// When the notification was created that receipts are about.
    private(set) var createdAt = Moment.start
    /// Where everything lies that hooks are lent; nil: where the engine has it.
    let lent: LentMemory?
    let reasons = ReasonCollector()

    init(_ stage: Stage, subject: String = "ana", lent: LentMemory? = nil) {
        self.stage = stage
        self.lent = lent
        moment = Moment(subject: subject)
        state = StateMemory(of: stage, isGuarded: lent != nil)
    }

    /// Plays a scene; nil if the plugin has no such hook.
    @discardableResult
    func play(_ scene: Scene) -> Answer? {
        var answer: Answer?
        play(scene) { answer = $0.answer(scene) }
        return answer
    }

    /// Has `body` make the calls of a scene, all in the same circumstances.
    func play(_ scene: Scene, _ body: @escaping (HookCall) -> Void) {
        moment.time = moment.time + scene.after
        moment.campaign = scene.campaign
        moment.isEntry = scene.isEntry
        if scene.hook == .didCreate, scene.outcome { createdAt = moment.time }
        switch scene.hook {
        case .onBackground: stage.turn(.backgrounded, "app.backgrounded", moment)
        case .onForeground: stage.turn(.foregrounded, "app.foregrounded", moment)
        default: break
        }
        var isAsked = false
        stage.call(moment) { [self] candidate, context in
            // Entering asks about both campaigns.
            if isAsked { return }
            isAsked = true
            body(HookCall(player: self, candidate: candidate, context: context))
        }
        if scene.isEntry { stage.turn(moment.exit.event, moment.exit.type, moment) }
    }
}
