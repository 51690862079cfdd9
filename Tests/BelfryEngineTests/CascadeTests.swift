import BelfryEngine
import BelfryModel
import Testing

/// Parameters: chain entry, region, group, campaign, trigger; the most specific wins, key by key (docs/configuration.md).
@Suite struct CascadeTests {
    @Test(arguments: [
        (["chain"], "1 per 1m, note chain"),
        (["chain", "region"], "2 per 1m, note region"),
        (["chain", "region", "group"], "3 per 1m, note group"),
        (["chain", "region", "group", "campaign"], "4 per 1m, note campaign"),
        (["chain", "region", "group", "campaign", "trigger"], "5 per 1m, note trigger"),
        (["chain", "group"], "3 per 1m, note group"),
        (["chain", "region", "trigger"], "5 per 1m, note trigger"),
    ])
    func `the most specific level wins, and what it leaves out stays`(levels: [String], message: String) throws {
        let town = try Town { configuration in
            configuration.chain = [.echo(["max": 1, "period": "1m", "note": "chain"])]
            configuration.groups = [.init(id: "promo")]
            configuration[campaign: "sale"].groups = ["promo"]
            for (max, level) in ["region", "group", "campaign", "trigger"].enumerated() where levels.contains(level) {
                configuration.set(.on(["max": .integer(Int64(max) + 2), "note": .text(level)]), at: level)
            }
        }
        #expect(town.echo(.enter("store")) == message)
    }

    @Test func `a region speaks for its own candidates only`() throws {
        let town = try Town {
            $0.chain = [.echo(["max": 1, "period": "1m"])]
            $0[region: "kiosk"].with["echo"] = .on(["max": 9])
            $0[campaign: "sale"].triggers[0].regions = .all
        }
        #expect(town.echo(.enter("store")) == "1 per 1m, note -")
        #expect(town.echo(.enter("kiosk")) == "9 per 1m, note -")
    }

    @Test(
        arguments: [
            (["region": true], nil), (["campaign": true], nil), (["trigger": true], nil),
            (["region": true, "campaign": false], "1 per 1m, note on"),
            (["region": false, "trigger": true], nil),
            (["group": true, "trigger": false], "1 per 1m, note on"),
        ] as [([String: Bool], String?)])
    func `off switches off for a level, and a more specific one may switch on again`(
        isOff: [String: Bool], message: String?
    ) throws {
        let town = try Town { configuration in
            configuration.chain = [.echo(["max": 1, "period": "1m"])]
            configuration.groups = [.init(id: "promo")]
            configuration[campaign: "sale"].groups = ["promo"]
            for (level, isOff) in isOff { configuration.set(isOff ? .off : .on(["note": "on"]), at: level) }
        }
        #expect(town.echo(.enter("store")) == message)
    }

    @Test func `switched on again, it has what the levels above said`() throws {
        let town = try Town {
            $0.chain = [.echo(["max": 1, "period": "1m"])]
            $0[region: "store"].with["echo"] = .on(["note": "region"])
            $0[campaign: "sale"].with["echo"] = .off
            $0[campaign: "sale"].triggers[0].with["echo"] = .on([:])
        }
        #expect(town.echo(.enter("store")) == "1 per 1m, note region")
    }

    /// `on` was an error for a strategy that takes no parameters, at every level.
    @Test(arguments: ["campaign", "trigger"])
    func `a strategy without parameters is switched on again as any other`(level: String) throws {
        let town = try Town([Quiet.self]) { configuration in
            configuration.chain = [.init(strategy: "quiet")]
            configuration.groups = [.init(id: "promo")]
            configuration.groups[0].with["quiet"] = .off
            configuration[campaign: "sale"].groups = ["promo"]
            if level == "campaign" {
                configuration[campaign: "sale"].with["quiet"] = .on([:])
            } else {
                configuration[campaign: "sale"].triggers[0].with["quiet"] = .on([:])
            }
        }
        town.send(.backgrounded, at: "09:00")
        #expect(town.send(.enter("store"), at: "10:00") == ["suppressed sale: quiet/quiet"])
    }

    @Test func `no parameters are none at every level, and any are too many`() {
        let levels = { (value: Value) in
            problems {
                $0.chain = [.init(strategy: "choosy")]
                $0.chain[0].parameters = value
                $0[region: "store"].with["choosy"] = .on(value)
                var variant = Configuration.Variant(name: "v")
                variant.with["choosy"] = .on(value)
                $0.experiments = [.init(id: "e", seed: "s", variants: [variant])]
            }
        }
        #expect(levels([:]) == [])
        let refused = "found parameters, expected none: this strategy takes no parameters"
        #expect(
            levels(["count": 1]) == [
                "chain.0.parameters: \(refused)", "regions.0.with.choosy: \(refused)",
                "experiments.0.variants.0.with.choosy: \(refused)",
            ])
    }

    @Test func `a parameter takes the place of the one it replaces`() throws {
        let town = try Town {
            $0.chain = [.echo(["max": 1, "period": "1m"])]
            $0[campaign: "sale"].with["echo"] = .on(["lifetime": true])
        }
        #expect(town.echo(.enter("store")) == "1 per ever, note -")
    }

    @Test func `beside the one it replaces, at one level, it is an error`() {
        #expect(
            problems { $0.chain = [.echo(["max": 1, "period": "1m", "lifetime": true])] } == [
                "chain.0.parameters.lifetime: found 'lifetime' beside 'period', expected one of the two; "
                    + "take one of them away: 'lifetime' stands instead of 'period'"
            ])
    }

    @Test func `levels may complete each other`() throws {
        let town = try Town {
            $0.chain = [.echo(["max": 1])]
            $0[campaign: "sale"].with["echo"] = .on(["period": "1m"])
        }
        #expect(town.echo(.enter("store")) == "1 per 1m, note -")
    }

    @Test func `regions cannot complete them, for a request has none`() {
        let found = problems {
            $0.chain = [.echo(["max": 1])]
            $0[region: "store"].with["echo"] = .on(["period": "1m"])
        }
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("chain.0.parameters: found no 'period'") == true)
    }

    @Test func `without any parameters an entry that needs them abstains`() throws {
        let town = try Town {
            $0.chain = [.echo()]
            $0.campaigns.append(.campaign("limited") { $0.with["echo"] = .on(["max": 1, "period": "1m"]) })
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["created sale/1", "suppressed limited: echo"])
    }

    @Test func `given but incomplete parameters are an error, where they are`() {
        let incomplete =
            "found no 'period', expected period: how long; give 'period' a duration with its unit, such as 90s, 30m, 1h30m or P1D"
        #expect(problems { $0.chain = [.echo(["max": 1])] } == ["chain.0.parameters: " + incomplete])
        #expect(
            problems {
                $0.chain = [.echo()]
                $0[campaign: "sale"].triggers[0].with["echo"] = .on(["max": 1])
            } == ["campaigns.0.triggers.0.with.echo: " + incomplete])
    }

    @Test func `a strategy's own refusal names the place`() {
        #expect(
            problems {
                $0.chain = [.echo(["max": 1, "period": "1m"])]
                $0[campaign: "sale"].with["echo"] = .on(["max": 13])
            } == [
                "campaigns.0.with.echo: found 13 is no lucky number; take 12, expected parameters that 'echo' accepts"
            ])
    }

    @Test func `several refusals, each about a parameter, are told apart, at the levels that give these`() {
        let expected = "and should not be negative, expected parameters that 'picky' accepts"
        #expect(
            problems(of: town + [Picky.self]) {
                $0.chain = [.init(strategy: "picky")]
                $0.chain[0].parameters = ["min": -2]
                $0[campaign: "sale"].with["picky"] = .on(["max": -1])
            } == [
                "chain.0.parameters.min: found 'min' is -2, \(expected)",
                "campaigns.0.with.picky.max: found 'max' is -1, \(expected)",
            ])
    }

    @Test func `lines that are not all about parameters are one refusal`() {
        #expect(
            problems(of: town + [Picky.self]) {
                $0.chain = [.init(strategy: "picky")]
                $0.chain[0].parameters = ["max": -1]
            } == [
                "chain.0.parameters.max: found 'max' is -1, and should not be negative\nnothing is between them, expected parameters that 'picky' accepts"
            ])
    }

    @Test func `a refusal without a word is told as the plugin's fault, at the entry or its parameters`() {
        let words = "'curt' refuses without saying why, expected parameters that 'curt' accepts; "
        let fix = "report it to the author of the plugin 'town', which has to say what is wrong"
        #expect(
            problems(of: town + [Curt.self]) { $0.chain = [.entry("a"), .init(strategy: "curt")] } == [
                "chain.1: found no parameters, which \(words)\(fix)"
            ])
        #expect(
            problems(of: town + [Curt.self]) {
                $0.chain = [.init(strategy: "curt")]
                $0.chain[0].parameters = ["max": 1]
            } == [
                "chain.0.parameters: found parameters that \(words)\(fix)"
            ])
    }

    @Test func `a refusal of an entry without parameters names the entry`() {
        #expect(
            problems(of: town + [Unlucky.self]) { $0.chain = [.entry("a"), .init(strategy: "unlucky")] } == [
                "chain.1: found not on a Friday, expected parameters that 'unlucky' accepts"
            ])
    }

    @Test func `a wrong parameter is an error at its level`() {
        #expect(
            problems {
                $0.chain = [.echo()]
                $0[region: "kiosk"].with["echo"] = .on(["maxx": 1, "period": 5])
            } == [
                "regions.1.with.echo.maxx: found the unknown parameter 'maxx', expected one of max, period, lifetime, note; did you mean 'max'?",
                "regions.1.with.echo.period: found 5, expected a duration with its unit, such as 90s, 30m, 1h30m or P1D; "
                    + "add the unit: '5s' for seconds, '5m' for minutes",
            ])
    }

    @Test func `what is missing is told together with what is wrong`() {
        let missing =
            "found no 'period', expected period: how long; give 'period' a duration with its unit, such as 90s, 30m, 1h30m or P1D"
        let wrong = "found 'one', expected a whole number, at least 0"
        #expect(
            problems { $0.chain = [.echo(["max": "one"])] } == [
                "chain.0.parameters.max: \(wrong)", "chain.0.parameters: \(missing)",
            ])
        // It may be wrong at one level, and lack something at another.
        #expect(
            problems {
                $0.chain = [.echo(["max": "one"])]
                $0[campaign: "sale"].with["echo"] = .on(["note": "a"])
            } == ["chain.0.parameters.max: \(wrong)", "campaigns.0.with.echo: \(missing)"])
    }

    @Test func `what is only misspelt is not missing as well`() {
        let expected = "expected one of max, period, lifetime, note; did you mean"
        #expect(
            problems { $0.chain = [.echo(["max": 1, "perod": "1m"])] } == [
                "chain.0.parameters.perod: found the unknown parameter 'perod', \(expected) 'period'?"
            ])
        // It would have replaced the period.
        #expect(
            problems { $0.chain = [.echo(["max": 1, "lifetme": true])] } == [
                "chain.0.parameters.lifetme: found the unknown parameter 'lifetme', \(expected) 'lifetime'?"
            ])
    }

    @Test func `equal parameters share one instance`() throws {
        let town = try Town { configuration in
            configuration.chain = [.echo(["max": 1, "period": "1m"]), .entry("a")]
            configuration.campaigns += (1...50).map { number in
                .campaign("c\(number)") { $0.with["echo"] = .on(["max": number.isMultiple(of: 2) ? 2 : 1]) }
            }
        }
        // `echo` with max 1 and with max 2, and `a`.
        #expect(town.instancesMade == 3)
    }
}

/// `per: group` (docs/configuration.md).
@Suite struct GroupCascadeTests {
    private static func configure(_ configuration: inout Configuration) {
        configuration.chain = [.echo(["max": 1, "period": "1m"], per: .group)]
        configuration.groups = [.init(id: "promo"), .init(id: "food")]
        configuration.groups[0].with["echo"] = .on(["max": 2])
        configuration.groups[1].with["echo"] = .on(["max": 3])
        configuration[campaign: "sale"].groups = ["promo", "food"]
    }

    @Test func `each group is asked about once, with its own parameters and counter`() throws {
        let town = try Town(change: Self.configure)
        #expect(town.send(.enter("store"), at: "10:00") == ["suppressed sale: echo[promo], echo[food]"])
        #expect(town.decisions.first?.reasons.map(\.message) == ["2 per 1m, note -", "3 per 1m, note -"])
        #expect(town.told("echo", counter: "promo") == ["10:00 told"])
        #expect(town.told("echo", counter: "food") == ["10:00 told"])
    }

    @Test func `all must agree, and one may be off`() throws {
        let town = try Town {
            Self.configure(&$0)
            $0.groups[0].with["echo"] = .off
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["suppressed sale: echo[food]"])
        #expect(town.counters(of: "echo") == ["food"])
    }

    @Test func `elsewhere the groups of a campaign are levels, in the order it names them`() throws {
        let town = try Town {
            Self.configure(&$0)
            $0.chain[0].per = .subject
        }
        #expect(town.echo(.enter("store")) == "3 per 1m, note -")
    }

    @Test func `a campaign without groups is not asked about`() throws {
        let town = try Town {
            Self.configure(&$0)
            $0[campaign: "sale"].groups = []
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["created sale/1"])
    }
}

/// What a catalog refuses besides parameters.
@Suite struct CatalogProblemTests {
    @Test func `an unknown strategy is named with the nearest one`() {
        #expect(
            problems { $0.chain = [.init(strategy: "scribted")] } == [
                "chain.0.strategy: found the unknown strategy 'scribted', expected one of choosy, echo, editor, scripted; did you mean 'scripted'?"
            ])
    }

    @Test func `a strategy that belongs before another says so`() {
        #expect(
            problems { $0.chain = [.entry("a"), .init(strategy: "choosy")] } == [
                "chain.1: found 'choosy' after 'a', expected 'choosy' before 'a': it looks at what comes in between; "
                    + "belfry strategies move choosy --before a"
            ])
    }

    @Test func `a strategy that belongs after another says so`() {
        #expect(
            problems { $0.chain = [.init(strategy: "choosy"), .echo()] } == [
                "chain.0: found 'choosy' before 'echo', expected 'choosy' after 'echo': it looks at what comes in between; "
                    + "belfry strategies move choosy --after echo"
            ])
    }

    @Test func `where it likes to be, it says nothing`() {
        #expect(problems { $0.chain = [.echo(), .init(strategy: "choosy"), .entry("a")] } == [])
    }

    @Test func `an unknown time zone is refused`() {
        #expect(
            problems { $0.timeZone = "Europe/Amsterdm" } == [
                "timeZone: found the unknown time zone 'Europe/Amsterdm', expected an IANA name such as Europe/Amsterdam or UTC"
            ])
    }

    @Test func `all problems come at once, in the order of the document`() {
        let found = problems {
            $0.chain = [.init(strategy: "nothing"), .echo(["max": -1])]
            $0[campaign: "sale"].with["echo"] = .on(["note": 1])
        }
        #expect(
            found.map { $0.prefix { $0 != ":" } } == [
                "chain.0.strategy", "chain.1.parameters.max", "campaigns.0.with.echo.note", "campaigns.0.with.echo",
            ])
    }
}

extension Configuration {
    fileprivate mutating func set(_ level: Level, at name: String) {
        switch name {
        case "region": self[region: "store"].with["echo"] = level
        case "group": groups[0].with["echo"] = level
        case "campaign": self[campaign: "sale"].with["echo"] = level
        default: self[campaign: "sale"].triggers[0].with["echo"] = level
        }
    }
}

extension Town {
    /// The parameters that `echo` had; nil if it did not speak.
    fileprivate func echo(_ event: Signal.Event) -> String? {
        send(event, at: "10:00")
        return decisions.last?.reasons.first { $0.strategy == "echo" }?.message
    }
}
