import BelfryModel
import Testing

@Suite struct SemanticVersionTests {
    /// Semantic Versioning 2.0.0, section 11, and beyond.
    private static let ordered = [
        "0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
        "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0-0", "2.0.0", "10.0.0", "99999999999999999999.0.0",
    ]

    @Test func `versions are older and newer as SemVer has it`() throws {
        let versions = try Self.ordered.map { try #require(SemanticVersion($0), "\($0)") }
        for (index, version) in versions.enumerated() {
            for (other, later) in versions.enumerated() { #expect((version < later) == (index < other)) }
        }
        #expect(SemanticVersion("1.0.0+a").map { !($0 < SemanticVersion("1.0.0+b")!) } == true)
    }

    @Test(arguments: [
        "", "1", "1.0", "1.0.0.0", "v1.0.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0+", "1.0.0-a..b", "1.0.x", "1.-1.0",
        " 1.0.0",
    ])
    func `what is no version is none`(text: String) {
        #expect(SemanticVersion(text) == nil)
    }
}
