import BelfryEngine
import Foundation
import Testing

@testable import BelfryConfiguration

@Suite struct ConfigurationFilesTests {
    @Test func `a syntax error has line and column`() {
        expect(
            "app: a\nchain: [\n",
            fails: """
                belfry.yaml:3:1
                  found: a YAML error: did not find expected node content (while parsing a flow node, line 3)
                  expected: a YAML 1.2 document
                  fix: look at this line and the one above: indentation, a missing ':' or an unclosed quote or bracket
                """)
    }

    @Test func `a key that is there twice is reported with its line`() {
        expect(
            "app: a\nbeacons:\n  uuid: x\n  uuid: y\n",
            fails: """
                belfry.yaml:3: uuid
                  found: the key 'uuid' more than once in one mapping
                  expected: each key once
                  fix: remove one of them, or join what they say
                """)
    }

    @Test func `an empty file is reported`() {
        expect(
            "# nothing yet\n",
            fails: """
                belfry.yaml
                  found: a file without content
                  expected: a mapping with the configuration's keys
                  fix: write the configuration there; 'belfry config schema' describes it
                """)
    }

    @Test func `a missing file is reported`() {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try ConfigurationReader.read(path: "nowhere/belfry.yaml")
        }
        #expect(
            failure?.description == """
                nowhere/belfry.yaml
                  found: no such file
                  expected: a configuration file
                  fix: create it, or name another with --config
                """)
    }

    @Test func `a byte order mark is none of its business`() throws {
        let folder = try Folder()
        try folder.write("\u{FEFF}app: shop\nchain: []\n", to: "belfry.yaml")
        #expect(try folder.read().configuration.app == "shop")
    }

    @Test(arguments: ["chain: { strategy: cooldown }", "campaigns: 5", "silences: {}", "sinks: none"])
    func `what is no list in an included file is reported, whatever the file that includes it has`(text: String) throws
    {
        for own in ["", "chain: []\ncampaigns: []\nsilences: []\nsinks: []\n"] {
            let folder = try Folder()
            try folder.write("app: shop\ninclude: [more.yaml]\n\(own)", to: "belfry.yaml")
            try folder.write(text + "\n", to: "more.yaml")
            let failure = #expect(throws: ConfigurationFailure.self) { try folder.read() }
            #expect(failure?.reports.map(\.expected) == ["a list"], "\(own)")
            #expect(failure?.reports.first?.file.hasSuffix("more.yaml") == true && failure?.reports.first?.line == 1)
        }
    }

    @Test func `a file that includes itself is told so`() throws {
        let folder = try Folder()
        try folder.write("app: shop\ninclude: [belfry.yaml]\n", to: "belfry.yaml")
        let failure = #expect(throws: ConfigurationFailure.self) { try folder.read() }
        #expect(failure?.reports.map(\.found) == ["'belfry.yaml', which is this file"])
    }

    @Test func `bytes that are not UTF-8 are reported`() throws {
        let folder = try Folder()
        try Data([0x61, 0xFF]).write(to: URL(fileURLWithPath: folder.path("belfry.yaml")))
        let failure = #expect(throws: ConfigurationFailure.self) { try folder.read() }
        #expect(failure?.reports.map(\.found) == ["bytes that are not UTF-8"])
    }

    @Test func `include joins the lists of further files`() throws {
        let folder = try Folder([
            "belfry.yaml": "app: a\ninclude: [parts/*.yaml]\ncampaigns: [{id: one}]",
            "parts/b.yaml": "campaigns: [{id: three}]",
            "parts/a.yaml": "chain: [{strategy: once}]\ncampaigns: [{id: two}]",
        ])
        let document = try folder.read()
        #expect(document.configuration.campaigns.map(\.id) == ["one", "two", "three"])
        #expect(document.configuration.chain.map(\.id) == ["once"])
        let located = document.locate([.init(path: ["campaigns", "2", "with", "x"], found: "f", expected: "e")])
        #expect(folder.strip(located.description) == "parts/b.yaml:1: campaigns[0].with.x\n  found: f\n  expected: e")
    }

    @Test func `an included file has lists only, and a pattern has to match`() throws {
        let folder = try Folder([
            "belfry.yaml": "app: a\ninclude: [more.yaml, no/*.yaml]\ncampaigns: [{id: c, groups: [later]}]",
            "more.yaml": "app: b\ninclude: [x]\ncampaign: []",
        ])
        #expect(
            folder.failure() == """
                belfry.yaml:2: include[1]
                  found: 'no/*.yaml', which no file matches
                  expected: a file or pattern, relative to belfry.yaml
                  fix: correct it, or remove it from 'include'

                more.yaml:1: app
                  found: the key 'app' in an included file
                  expected: one of chain, groups, regions, campaigns, categories, fields, experiments, silences, sinks
                  fix: move it to belfry.yaml

                more.yaml:2: include
                  found: the key 'include' in an included file
                  expected: one of chain, groups, regions, campaigns, categories, fields, experiments, silences, sinks
                  fix: an included file cannot include others: list them in belfry.yaml

                more.yaml:3: campaign
                  found: the key 'campaign' in an included file
                  expected: one of chain, groups, regions, campaigns, categories, fields, experiments, silences, sinks
                  fix: did you mean 'campaigns'?
                """)
    }

    @Test func `aliases of aliases cannot fill the memory`() {
        let levels = (1...9).map { level in
            "  - &l\(level) [" + Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", ") + "]"
        }
        expect(
            "app: a\nx:\n  - &l0 [1]\n" + levels.joined(separator: "\n"),
            failsWith: "aliases that repeat more than the file has")
    }
}
