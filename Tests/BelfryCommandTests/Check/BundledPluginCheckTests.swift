import Testing

/// What we ask of others holds for the plugins that come with Belfry.
@Suite struct BundledPluginCheckTests {
    @Test(arguments: [
        "ActionMenu", "Actions", "BackgroundDelay", "Cooldown", "Digest", "Holdout", "Inhibit", "MaxPerPeriod",
        "Occurrences", "Once", "Personalize", "RegionChange", "Schedule", "Segmentation",
    ])
    func `a bundled plugin passes every check`(name: String) throws {
        let file = try #require(PluginFiles.bundled(name).first)
        let report = try Misbehaving.checker.get().check(file.path, Misbehaving.options)
        #expect(report.isPassed, "\(report)")
        #expect(report.results.contains { $0.outcome == .passed })
    }
}
