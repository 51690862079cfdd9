import BelfryModel
import CBelfry

extension PluginCheck {
    static let until = PluginCheck(
        "until", "An 'until' is exact: 1 ms before it the answer is no, and at it the strategy allows.",
        kinds: [.strategy], needs: ["purity"]
    ) { subject in
        try subject.forEachQuestion(subject.load()) { inexactness(of: $0, $1) }
    }

    private static func inexactness(of scene: Scene, _ player: Player) -> CheckFinding? {
        let hook = "\(scene.hook.rawValue) of \(player.stage.chainable.noun)"
        var finding: CheckFinding?
        Step.begin(hook)
        player.play(scene) { call in
            guard let answer = call.answer(scene), let until = answer.until, until < Instant.writable.upperBound else {
                return
            }
            for instant in [until - Duration(milliseconds: 1), until] {
                guard let later = call.answer(scene, at: instant, isDeferred: answer.isDeferral && instant == until),
                    later.isRefusal != (instant < until)
                else {
                    continue
                }
                finding = CheckFinding(
                    "\(hook) gives an 'until' that is not exact",
                    why: "it answered '\(answer.text)', and at \(instant) '\(later.text)'",
                    fix: "give the first instant at which it would allow if nothing else happens, or none")
                return
            }
        }
        return finding
    }
}

extension HookCall {
    /// The same at another time.
    ///
    /// - Parameter isDeferred: whether its deferral is over then, which the host says.
    fileprivate func answer(_ scene: Scene, at instant: Instant, isDeferred: Bool) -> Answer? {
        var (context, candidate) = (context.pointee, candidate.pointee)
        context.now = instant.milliseconds
        if isDeferred { candidate.deferred = 1 }
        return withUnsafePointer(to: context) { context in
            withUnsafePointer(to: candidate) { candidate in
                var call = self
                (call.context, call.candidate) = (context, candidate)
                return call.answer(scene)
            }
        }
    }
}

extension Answer {
    fileprivate var until: Instant? {
        // What is collected is asked about again by the host, as a digest: then the strategy allows, not before.
        switch self {
        case .verdict(.deny(let reason)), .verdict(.defer(let reason)): reason.until
        default: nil
        }
    }

    fileprivate var isDeferral: Bool { if case .verdict(.defer) = self { true } else { false } }

    fileprivate var isRefusal: Bool {
        switch self {
        case .verdict(.deny), .verdict(.defer), .verdict(.collect), .verdict(.withhold), .verdict(.fault): true
        default: false
        }
    }
}
