import BelfryPluginHost

extension PluginCheck {
    static let root = PluginCheck(
        "root", "Its root has the layout of this ABI, and its init succeeds.", needs: ["file"]
    ) { subject in
        let inspection = try Inspection(subject)
        var findings = Findings()
        try inspection.negotiation.checkWords(inspection.root, &findings)
        try findings.refuse(subject.path)
        Step.begin("init")
        try inspection.negotiation.initialize(inspection.root)
        return []
    }

    static let identity = PluginCheck("identity", "It has an id and a version.", needs: ["root"]) { subject in
        let inspection = try Inspection(subject)
        var findings = Findings()
        _ = inspection.negotiation.identity(of: inspection.root, &findings)
        try findings.refuse(subject.path)
        return []
    }
}
