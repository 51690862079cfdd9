import BelfryPluginHost

extension PluginCheck {
    /// Trust and kind of the file are looked at before any process is made (`PluginChecker`); here the system's loader takes it.
    static let file = PluginCheck(
        "file", "It is a shared object of this ABI and machine, and the system's loader takes it.", needs: []
    ) { subject in
        Step.begin("its constructors")
        _ = try PluginImage(opening: subject.path)
        return []
    }
}
