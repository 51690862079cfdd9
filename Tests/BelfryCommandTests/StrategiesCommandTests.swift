import Foundation
import Testing

@Suite struct StrategiesCommandTests {
    private static let configuration = """
        # The shop's rules.
        app: shop
        plugins: { directories: [plugins] }

        chain:
          # Who it is for.
          - strategy: segmentation

          # How often at most.
          - strategy: max-per-period   # two an hour
            id: cap
            parameters: { max: 1, period: 1h }
          - strategy: cooldown
            per: campaign
            control: optional
            parameters:
              period: 30m
        # The end of the chain.

        campaigns:
          - id: sale
            message: Sale
            with:
              segmentation: { tier: gold }
              cooldown: { from: opening, period: 2h }

        """

    private let place: Workplace

    init() throws {
        place = try Workplace(["belfry.yaml": Self.configuration])
        try place.makePlugins(PluginFiles.bundled("Segmentation", "MaxPerPeriod", "Cooldown", "Actions"))
    }

    private func belfry(_ arguments: String...) throws -> Command.Result {
        try place.belfry(["strategies"] + arguments, input: Data())
    }

    // MARK: Listing

    @Test func `the list has every entry in order, and where each parameter is configured`() throws {
        let list = """
               ENTRY         STRATEGY        PLUGIN                PER       CONTROL   PARAMETERS     CONFIGURED IN
            1  segmentation  segmentation    segmentation 1.0.0    subject   required  tier: gold     belfry.yaml:24 campaigns[0].with.segmentation.tier
            2  cap           max-per-period  max-per-period 1.0.0  subject   required  max: 1         belfry.yaml:12 chain[1].parameters.max
                                                                                       period: 1h     belfry.yaml:12 chain[1].parameters.period
            3  cooldown      cooldown        cooldown 1.0.0        campaign  optional  period: 30m    belfry.yaml:17 chain[2].parameters.period
                                                                                       from: opening  belfry.yaml:25 campaigns[0].with.cooldown.from
                                                                                       period: 2h     belfry.yaml:25 campaigns[0].with.cooldown.period

            """
        #expect(try belfry("list").output == list)
        #expect(try belfry().output == list)
    }

    @Test func `the list as JSON`() throws {
        let list = try JSON(belfry("list", "--json").output).value.list ?? []
        try #require(list.count == 3)
        #expect(
            list[2]
                == (try JSON(
                    """
                    {"position":3,"entry":"cooldown","strategy":"cooldown","plugin":"cooldown","version":"1.0.0","per":"campaign",
                     "control":"optional","enabled":true,"parameters":[
                      {"name":"period","value":"30m","file":"belfry.yaml","line":17,"path":"chain[2].parameters.period"},
                      {"name":"from","value":"opening","file":"belfry.yaml","line":25,"path":"campaigns[0].with.cooldown.from"},
                      {"name":"period","value":"2h","file":"belfry.yaml","line":25,"path":"campaigns[0].with.cooldown.period"}]}
                    """)).value)
    }

    @Test func `an empty chain is told`() throws {
        try place.write("app: shop\n", to: "belfry.yaml")
        #expect(try belfry().output == "the chain is empty: everything is allowed\n")
        #expect(try belfry("--json").output == "[]\n")
    }

    @Test func `an entry whose plugin is not there is listed all the same`() throws {
        try FileManager.default.removeItem(at: place.file("plugins/libBelfryCooldown.so"))
        let result = try belfry()
        #expect(result.status == 0)
        #expect(result.output.contains("3  cooldown      cooldown        (no plugin has it)"))
    }

    // MARK: Describing

    @Test func `a strategy is described with its parameters`() throws {
        #expect(
            try belfry("describe", "cooldown").output == """
                cooldown  (strategy of plugin cooldown 1.0.0)
                Allows nothing more for a period after the last notification was created, deleted or opened.
                per: subject by default

                PARAMETER  TYPE                       DEFAULT   WHAT IT IS
                period     duration ≥ 0s              required  how long nothing more is created; 0s is no limit
                from       creation|deletion|opening  creation  what the period counts from
                boundary   open|closed                open      whether at exactly the end of the period it is allowed (open) or not (closed)

                """)
    }

    @Test func `a plugin of actions is described by its name, as text and JSON`() throws {
        #expect(try belfry("describe", "actions").output.hasPrefix("plugin actions 1.0.0\n\nACTION "))
        let description = try JSON(belfry("describe", "actions", "--json").output)
        #expect(description["actions"]?.list?.compactMap { $0.map?["type"] }.contains("url") == true)
    }

    @Test func `an unknown strategy is told with the nearest one`() throws {
        let result = try belfry("describe", "cooldwn")
        #expect(result.status == 2 && result.output == "")
        #expect(
            result.errors == """
                no strategy named 'cooldwn'
                  why: the plugins in './plugins' offer cooldown, max-per-period and segmentation
                  fix: did you mean 'cooldown'?

                """)
    }

    // MARK: Editing

    @Test(arguments: [["cooldown", "--first"], ["cooldown", "--before", "segmentation"]])
    func `an entry is moved in the file, and comments and layout stay`(arguments: [String]) throws {
        let result = try place.belfry(["strategies", "move"] + arguments, input: Data())
        #expect(result.status == 0 && result.output == "'cooldown' moved from position 3 to 1\n")
        #expect(
            try place.text(of: "belfry.yaml") == """
                # The shop's rules.
                app: shop
                plugins: { directories: [plugins] }

                chain:
                  - strategy: cooldown
                    per: campaign
                    control: optional
                    parameters:
                      period: 30m

                  # Who it is for.
                  - strategy: segmentation
                  # How often at most.
                  - strategy: max-per-period   # two an hour
                    id: cap
                    parameters: { max: 1, period: 1h }
                # The end of the chain.

                campaigns:
                  - id: sale
                    message: Sale
                    with:
                      segmentation: { tier: gold }
                      cooldown: { from: opening, period: 2h }

                """)
    }

    @Test(arguments: [
        (["segmentation", "--last"], ["cap", "cooldown", "segmentation"]),
        (["segmentation", "--after", "cap"], ["cap", "segmentation", "cooldown"]),
        (["cap", "--first"], ["cap", "segmentation", "cooldown"]),
        (["cap", "--after", "segmentation"], ["segmentation", "cap", "cooldown"]),
    ])
    func `the list after a move is in the new order`(arguments: [String], order: [String]) throws {
        #expect(try place.belfry(["strategies", "move"] + arguments, input: Data()).status == 0)
        #expect(try JSON(belfry("--json").output).value.list?.compactMap { $0.map?["entry"]?.text } == order)
    }

    @Test func `reasons come in the order of the chain`() throws {
        func signal(_ type: String, _ minute: String, _ data: String) -> String {
            #"{"type":"\#(type)","subject":"ana","time":"2026-03-02T09:\#(minute):00Z","data":\#(data)}"#
        }
        let input = [
            signal("attributes.set", "00", #"{"values":{"tier":"gold"}}"#),
            signal("notification.requested", "10", #"{"campaign":"sale"}"#),
            signal("attributes.set", "20", #"{"values":{"tier":"silver"}}"#),
            signal("notification.requested", "30", #"{"campaign":"sale"}"#),
        ].asFile
        func reasons() throws -> [String]? {
            let decisions = try place.belfry("run", input: input).lines
            return try decisions.last.flatMap {
                try JSON($0)["data"]?.map?["reasons"]?.list?.compactMap { $0.map?["strategy"]?.text }
            }
        }
        #expect(try reasons() == ["segmentation", "cap"])
        #expect(try belfry("move", "cap", "--first").status == 0)
        #expect(try reasons() == ["cap", "segmentation"])
        #expect(try belfry("disable", "segmentation").status == 0)
        #expect(try reasons() == ["cap"])
    }

    @Test func `an entry is disabled and enabled in the file`() throws {
        #expect(try belfry("disable", "cap").output == "'cap' is now disabled\n")
        let disabled = try place.text(of: "belfry.yaml")
        #expect(disabled.contains("enabled: false"))
        #expect(
            disabled.split(separator: "\n").filter { !$0.contains("enabled: false") }.map { $0 + "\n" }.joined()
                == Self.configuration.split(separator: "\n").map { $0 + "\n" }.joined())
        #expect(try belfry().output.contains("required, disabled"))
        #expect(try belfry("disable", "cap").output == "'cap' was already disabled\n")
        #expect(try place.text(of: "belfry.yaml") == disabled)
        #expect(try belfry("enable", "cap").output == "'cap' is now enabled\n")
        #expect(try JSON(belfry("--json").output).value.list?.map { $0.map?["enabled"] } == [true, true, true])
    }

    // MARK: Refusals

    @Test(arguments: [
        ["enable", "capp"], ["disable", "capp"], ["move", "capp", "--first"], ["move", "cooldown", "--after", "capp"],
    ])
    func `an unknown entry is told with the nearest one, and nothing is written`(arguments: [String]) throws {
        let result = try place.belfry(["strategies"] + arguments, input: Data())
        #expect(result.status == 2 && result.output == "")
        #expect(result.errors.hasPrefix("cannot \(arguments[0]) '\(arguments[1])'"))
        #expect(
            result.errors.hasSuffix(
                "\n  why: the chain has segmentation, cap, cooldown, but no 'capp'\n  fix: did you mean 'cap'?\n"))
        #expect(try place.text(of: "belfry.yaml") == Self.configuration)
    }

    @Test(arguments: [[], ["--first", "--last"], ["--before", "cap", "--after", "cap"]])
    func `a move needs one place to go to`(destination: [String]) throws {
        let result = try place.belfry(["strategies", "move", "cooldown"] + destination, input: Data())
        #expect(result.status == 2)
        #expect(result.errors.contains("say where to: one of --before ENTRY, --after ENTRY, --first or --last"))
    }

    @Test func `an order that a plugin declares impossible is refused, and nothing is written`() throws {
        try PluginFiles.compile([PluginFiles.own("herald")], into: place.file("plugins"))
        let chain =
            "app: shop\nplugins: { directories: [plugins] }\nchain:\n  - strategy: herald\n  - strategy: segmentation\n  - strategy: cooldown\n"
        try place.write(chain, to: "belfry.yaml")
        let why =
            "  why: plugin 'test.herald' says that 'herald' belongs before 'cooldown': It announces what cooldown may refuse.\n"
        let fix = "  fix: keep 'herald' before 'cooldown'\n"
        let last = try belfry("move", "herald", "--last")
        #expect(last.status == 2 && last.errors == "cannot move 'herald' to the end\n" + why + fix)
        let first = try belfry("move", "cooldown", "--first")
        #expect(first.status == 2 && first.errors == "cannot move 'cooldown' to the front\n" + why + fix)
        #expect(try place.text(of: "belfry.yaml") == chain)
        #expect(try belfry("move", "segmentation", "--first").status == 0)
    }

    @Test func `an order that is wrong already is told by the check, and its fix mends it`() throws {
        try PluginFiles.compile([PluginFiles.own("herald")], into: place.file("plugins"))
        try place.write(
            "app: shop\nplugins: { directories: [plugins] }\nchain:\n  - strategy: cooldown\n  - strategy: segmentation\n  - strategy: herald\n",
            to: "belfry.yaml")
        let check = try place.belfry("config", "check")
        #expect(check.status == 2)
        #expect(check.errors.contains("fix: belfry strategies move herald --before cooldown"))
        #expect(try belfry("move", "segmentation", "--first").status == 0)
        #expect(try belfry("move", "herald", "--before", "cooldown").status == 0)
        #expect(try place.belfry("config", "check").status == 0)
    }
}
