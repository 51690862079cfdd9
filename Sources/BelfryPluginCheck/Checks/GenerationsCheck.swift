import BelfryPluginHost
import Foundation

extension PluginCheck {
    static let generations = PluginCheck(
        "generations", "It can be loaded again as a new generation, 100 times, beside the former ones.",
        needs: ["purity"]
    ) { subject in
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-generations-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var first: [Answer]?
        for generation in 1...count {
            // Another file is another image to the loader, whatever it contains.
            let copy = folder.appending(path: "\(generation).so").path
            try FileManager.default.copyItem(atPath: subject.path, toPath: copy)
            do throws(PluginRefusal) {
                let plugin = try subject.load(copy: copy)
                Step.begin("the hooks of generation \(generation)")
                let answers = lives(plugin, subject)
                if let first, first != answers { return [.otherDecisions(generation)] }
                first = answers
            } catch {
                return [.refused(generation, error)]
            }
        }
        return []
    }

    private static let count = 100

    /// The answers of a short life with each strategy and filter.
    private static func lives(_ plugin: LoadedPlugin, _ subject: CheckCase) -> [Answer] {
        plugin.chainables.flatMap { chainable -> [Answer] in
            for parameters in Casting.candidates(chainable, subject) {
                guard let stage = try? Stage(chainable, parameters, services: subject.services), stage.instance != nil
                else { continue }
                let player = Player(stage)
                return Scene.days.prefix(27).compactMap { player.play($0) }
            }
            return []
        }
    }
}

extension CheckFinding {
    fileprivate static func refused(_ generation: Int, _ refusal: PluginRefusal) -> CheckFinding {
        CheckFinding(
            "generation \(generation) of it cannot be loaded",
            why: refusal.differences.map(\.why).joined(separator: "; "),
            fix: "set up nothing for the whole process: a new version is loaded beside the former one, which stays")
    }

    fileprivate static func otherDecisions(_ generation: Int) -> CheckFinding {
        CheckFinding(
            "generation \(generation) of it decides differently from the first",
            why: "the same subject got other answers, though nothing but the generation is new",
            fix: "share nothing with other images of the plugin: no environment, no files, no names in the process")
    }
}
