import Foundation
import Testing

/// Where `belfry simulate --report` writes its page to.
@Suite struct SimulationPageFileTests {
    private let place: Workplace

    init() throws {
        let configuration = "app: shop\ncampaigns: [ { id: sale, message: Sale } ]\n"
        place = try Workplace(["belfry.yaml": configuration, "b.yaml": configuration, "signals.jsonl": ""])
    }

    private func simulate(_ report: String) throws -> Command.Result {
        try place.belfry("simulate", "--signals", "signals.jsonl", "--against", "b.yaml", "--report", report)
    }

    @Test func `a page replaces what the file held`() throws {
        try place.write(String(repeating: "old ", count: 100_000), to: "page.html")
        #expect(try simulate("page.html").status == 0)
        let page = try place.text(of: "page.html")
        #expect(page.hasPrefix("<!doctype html>"))
        #expect(page.hasSuffix("</html>\n"))
        #expect(!page.contains("old old"))
    }

    @Test func `a page that cannot be written is told of at once`() throws {
        let result = try simulate("nowhere/page.html")
        #expect(result.status == 1)
        #expect(result.output == "")
        #expect(
            result.errors == """
                cannot write 'nowhere/page.html'
                  why: No such file or directory
                  fix: check the folder and its permissions

                """)
    }

    @Test(arguments: [
        "signals.jsonl": "--signals and --report are one file, 'signals.jsonl'",
        "belfry.yaml": "--report names a file of the configuration, 'belfry.yaml'",
        "b.yaml": "--report names a file of the configuration, 'b.yaml'",
    ])
    func `a page does not replace what it is made from`(file: String, fault: String) throws {
        let before = try place.text(of: file)
        let result = try simulate(file)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix(fault + "\n"), "\(result.errors)")
        #expect(try place.text(of: file) == before)
    }
}
