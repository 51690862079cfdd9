import BelfryPluginHost

extension PluginCheck {
    static let tables = PluginCheck(
        "tables", "Its tables are complete: names, required functions, state functions, signatures.", needs: ["root"]
    ) { subject in
        let offers = try Inspection(subject).offers()
        return refusals(of: offers.all.filter { !offers.descriptions.contains($0) }, subject)
    }

    static let description = PluginCheck(
        "description", "The description of its parameters does not contradict itself, and its defaults fit.",
        kinds: [.strategy, .filter, .sink], needs: ["tables"]
    ) { subject in
        refusals(of: try Inspection(subject).offers().descriptions, subject)
    }

    private static func refusals(of differences: [PluginRefusal.Difference], _ subject: CheckCase) -> [CheckFinding] {
        differences.isEmpty ? [] : PluginRefusal(path: subject.path, differences: differences).findings
    }
}
