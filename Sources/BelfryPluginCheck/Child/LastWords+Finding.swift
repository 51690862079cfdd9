import BelfryPluginHost
import Glibc

extension LastWords {
    /// The sin that ended the child.
    var finding: CheckFinding {
        if let piece { return finding(about: piece) }
        switch signal {
        case 0:
            return CheckFinding(
                "it ended the process in \(step)", why: "a plugin lives in the host's process and may not end it",
                fix: "report a failure by the hook's own means, and never call exit")
        case SIGALRM:
            let overrun = "it did not come back from \(step) within \(Step.deadline)s"
            return Step.whileLoading.contains(step)
                ? CheckFinding(
                    overrun, why: "belfry loads its plugins before it decides anything, and waits for each",
                    fix: "do no waiting, no endless loop and no input or output in constructors, entry and init")
                : CheckFinding(
                    overrun, why: "a hook is called for every candidate; the subject's decisions wait for it",
                    fix: "do no waiting, no endless loop and no input or output in a hook")
        default:
            return CheckFinding(
                "it crashed with \(signalName(signal)) in \(step)",
                why: "a crash ends the host; where 'isolation: process' contains it, that call is a fault",
                fix: "find the place in a debugger; whatever a hook gets, it has to come back from it")
        }
    }

    private func finding(about piece: Piece) -> CheckFinding {
        if !piece.isLent {
            return CheckFinding(
                "it kept a pointer to \(piece.name) and used it in \(step)",
                why: "that was lent to \(piece.lender), and taken back when it returned",
                fix: "copy what is to be kept; everything that a hook gets is borrowed until it returns")
        }
        if piece.offset >= 0, piece.offset < piece.length {
            return CheckFinding(
                "it wrote into \(piece.name) in \(step)",
                why: "byte \(piece.offset) of \(piece.length) was written; it is lent to be read",
                fix: "copy what is to be changed; the host's memory is not the plugin's")
        }
        return CheckFinding(
            "it went beyond \(piece.name) in \(step)",
            why: "it touched byte \(piece.offset) of \(piece.length)",
            fix:
                "mind the length: texts have no NUL at their end, lists have 'count' items, a state has 'state_size' bytes"
        )
    }
}
