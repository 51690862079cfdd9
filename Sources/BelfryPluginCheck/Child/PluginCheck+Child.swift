import BelfryEngine
import BelfryPluginHost
import CLinux
import Foundation
import Glibc

/// What the checking child prints: one line of JSON.
enum CheckAnswer: Codable {
    case findings([CheckFinding])
    case notApplicable
}

extension PluginCheck {
    /// The whole work of `belfry plugins check-one`: tries one check on the private copy at `path` and prints what came of it as
    /// JSON.
    ///
    /// Call it in a process that does nothing else and ends right after. The plugin's own prints go to standard error, and what
    /// ends the process before its time is told by its last words (`LastWords`).
    public static func runInThisProcess(
        _ id: String, path: String, options: CheckOptions, services: HostServices, output: Int32 = STDOUT_FILENO
    ) -> Int32 {
        let answers = answerBesidePlugins(output)
        belfry_prepare_last_words(answers)
        guard let check = named(id) else { return 2 }
        let answer = check.answer(CheckCase(path: path, options: options, services: services))
        belfry_withdraw_last_words()
        let line = (try? JSONEncoder().encode(answer)) ?? Data()
        return writeAll(Array(line), to: answers) ? 0 : 1
    }

    private func answer(_ subject: CheckCase) -> CheckAnswer {
        do {
            Step.begin("the check")
            return .findings(try run(subject))
        } catch let refusal as PluginRefusal {
            return .findings(refusal.findings)
        } catch let difference as PluginRefusal.Difference {
            return .findings(PluginRefusal(path: subject.path, differences: [difference]).findings)
        } catch let nothing as Casting.NoInstance {
            return .findings([nothing.finding])
        } catch is NotApplicable {
            return .notApplicable
        } catch {
            return .findings([
                CheckFinding(
                    "the check could not be made", why: "\(error)", fix: "report this to the authors of belfry")
            ])
        }
    }
}

/// Thrown by a check that finds nothing to try.
struct NotApplicable: Error {}

extension PluginRefusal {
    var findings: [CheckFinding] {
        differences.map { CheckFinding("belfry refuses it", why: $0.why, fix: $0.fix) }
    }
}
