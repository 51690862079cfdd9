import Foundation
import Testing

/// A configuration that is wrong: told all at once, with file, line, key path and what to do, before anything is done.
@Suite struct ConfigurationErrorTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makePlugins(PluginFiles.bundled("Cooldown", "MaxPerPeriod", "Segmentation", "Actions"))
    }

    /// Expects exactly these words from `config check` and from `run`, and exit status 2 from both.
    private func expect(_ yaml: String, _ errors: String) throws {
        try place.write(yaml + "\nplugins: { directories: [plugins] }\n", to: "belfry.yaml")
        for arguments in [["config", "check"], ["run", "--store", "sqlite:unwanted.db"]] {
            let result = try place.belfry(arguments, input: Data())
            #expect(result.status == 2, "\(arguments)")
            #expect(result.output == "", "\(arguments)")
            #expect(result.errors == errors + "\n", "\(arguments)")
        }
        #expect(!FileManager.default.fileExists(atPath: place.file("unwanted.db").path))
    }

    // MARK: Form

    @Test func `an unknown key is told with the nearest one`() throws {
        try expect(
            "app: shop\ncampaigns:\n  - id: a\n    mesage: Hello",
            """
            belfry.yaml:4: campaigns[0].mesage
              found: the unknown key 'mesage'
              expected: one of id, kind, published, title, message, data, presentation, handler, tags, priority, groups, \
            triggers, category, onOpen, onFire, with, deleteOn
              fix: did you mean 'message'?
            """)
    }

    @Test func `however many errors there are, all are told`() throws {
        let campaigns = (0..<4000).map { "  - { id: c\($0), titl: x, mesage: y }" }
        try place.write("app: shop\ncampaigns:\n" + campaigns.asFile, to: "belfry.yaml")
        let result = try place.belfry("config", "check", "--json")
        #expect(result.status == 2)
        #expect(try JSON(result.output)["errors"]?.list?.count == 8000)
        let last = "belfry.yaml:4002: campaigns[3999].mesage\n"
        #expect(try place.belfry("config", "check").errors.split(separator: "\n\n").last?.contains(last) == true)
    }

    @Test func `without a name of the app, all else is told too`() throws {
        try place.write("chain: [ { strategy: coldown } ]\nplugins: { directories: [plugins] }\n", to: "belfry.yaml")
        let errors = try place.belfry("config", "check").errors
        #expect(errors.contains(": app\n") && errors.contains("'cooldown'"), "\(errors)")
    }

    @Test func `an unknown zone is told`() throws {
        try expect(
            "app: shop\ntimeZone: Europe/Amsterdm",
            """
            belfry.yaml:2: timeZone
              found: the unknown time zone 'Europe/Amsterdm'
              expected: an IANA time zone, such as Europe/Amsterdam or UTC
              fix: did you mean 'Europe/Amsterdam'?
            """)
    }

    @Test func `one that is close to none is told where all are`() throws {
        try expect(
            "app: shop\ntimeZone: '+01:00'",
            """
            belfry.yaml:2: timeZone
              found: the unknown time zone '+01:00'
              expected: an IANA time zone, such as Europe/Amsterdam or UTC
              fix: name an area and a city; 'timedatectl list-timezones' lists them
            """)
    }

    @Test func `a duration without a unit is told`() throws {
        try expect(
            "app: shop\nbeacons: { exitDelay: 30 }",
            """
            belfry.yaml:2: beacons.exitDelay
              found: the number 30
              expected: a duration with a unit, such as 90s, 5m or 1h30m
              fix: a bare number has no unit: add ms, s, m, h or d
            """)
    }

    @Test func `a file that is something else is told without what it says`() throws {
        try place.write("include: [key, pipe, deep]\napp: shop\n", to: "belfry.yaml")
        try place.write("-----BEGIN KEY-----\nsecret\n", to: "key")
        try place.write(String(repeating: "[", count: 2_000), to: "deep")
        #expect(mkfifo(place.file("pipe").path, 0o600) == 0)
        let result = try place.belfry("config", "check")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                key:1:1
                  found: text that is no mapping
                  expected: a mapping with the configuration's keys

                pipe
                  found: a pipe or a device
                  expected: a configuration file
                  fix: write it to a file: a configuration is read more than once

                deep:1:1
                  found: a YAML error: more than 1,000 levels
                  expected: a YAML 1.2 document
                  fix: look for '[' and '{' that are not closed

                """)
    }

    @Test func `a file that is no YAML is told with line and column`() throws {
        try place.write("app: shop\nchain: [ { strategy: cooldown }\n", to: "belfry.yaml")
        let result = try place.belfry("config", "check")
        #expect(result.status == 2 && result.errors.hasPrefix("belfry.yaml:3:1\n  found: a YAML error: "))
        #expect(result.errors.contains("\n  fix: look at this line and the one above"))
    }

    // MARK: Plugins and their parameters

    @Test func `errors of the form, of parameters and of missing strategies are told at once, in file order`() throws {
        try expect(
            """
            app: shop
            chain:
              - strategy: cooldown
                parameters: { perod: 5m }
              - strategy: wether
              - strategy: max-per-period
                id: cap
            timeZone: Europe/Amsterdm
            campaigns:
              - id: a
                category: nope
                with: { cap: { max: 2 } }
            regions: [ { id: dam, kind: geofence, latitude: 91, longitude: 0 } ]
            """,
            """
            belfry.yaml:4: chain[0].parameters.perod
              found: the unknown parameter 'perod'
              expected: one of period, from, boundary
              fix: did you mean 'period'?

            belfry.yaml:5: chain[1].strategy
              found: the unknown strategy 'wether'
              expected: one that a plugin has: the plugins in './plugins' offer cooldown, max-per-period and segmentation
              fix: put the plugin that offers it into one of these folders, or add its folder to 'plugins: directories' ('bundled' is that of belfry)

            belfry.yaml:8: timeZone
              found: the unknown time zone 'Europe/Amsterdm'
              expected: an IANA time zone, such as Europe/Amsterdam or UTC
              fix: did you mean 'Europe/Amsterdam'?

            belfry.yaml:11: campaigns[0].category
              found: the unknown category 'nope'
              expected: a category, but the configuration has none

            belfry.yaml:12: campaigns[0].with.cap
              found: 'max' alone has no window; give one of 'period', 'calendar' and 'lifetime' with it
              expected: parameters that 'max-per-period' accepts

            belfry.yaml:13: regions[0].latitude
              found: the number 91
              expected: a number from -90 to 90
            """)
    }

    @Test func `wrong parameters are told by what the plugin says of them`() throws {
        try expect(
            """
            app: shop
            chain:
              - strategy: max-per-period
                parameters: { max: -1, calendar: year }
              - strategy: cooldown
                parameters: { period: 90 }
              - strategy: segmentation
                parameters: { tier: { $in: 3 } }
            """,
            """
            belfry.yaml:4: chain[0].parameters.max
              found: -1
              expected: a whole number, at least 0

            belfry.yaml:4: chain[0].parameters.calendar
              found: the unknown value 'year'
              expected: one of day, week, month

            belfry.yaml:6: chain[1].parameters.period
              found: 90
              expected: a duration with its unit, such as 90s, 30m, 1h30m or P1D, at least 0s
              fix: add the unit: '90s' for seconds, '90m' for minutes

            belfry.yaml:8: chain[2].parameters.tier.$in
              found: a whole number
              expected: a list of values
            """)
    }

    @Test func `parameters that are wrong and those that are missing are told at once`() throws {
        try place.makePlugins(PluginFiles.bundled("Holdout"))
        try expect(
            """
            app: shop
            chain:
              - strategy: holdout
                parameters: { share: 2 }
            campaigns: [ { id: a } ]
            """,
            """
            belfry.yaml:4: chain[0].parameters
              found: no 'seed'
              expected: seed: a text of your own: another one holds out other subjects
              fix: give 'seed' text

            belfry.yaml:4: chain[0].parameters.share
              found: 2
              expected: a number, 0 to 1
            """)
    }

    @Test func `what a strategy refuses is told where it is given, whatever level is more specific`() throws {
        try place.makePlugins(PluginFiles.bundled("Schedule"))
        try expect(
            """
            app: shop
            chain: [ { strategy: schedule } ]
            regions:
              - id: r
                kind: geofence
                latitude: 52
                longitude: 4
                with:
                  schedule:
                    periods:
                      - weekdays: [mon]
                      - hours: ["9-10"]
            campaigns:
              - { id: a, triggers: [ { on: enter, regions: [r], with: { schedule: { judges: creation } } } ] }
            """,
            """
            belfry.yaml:12: regions[0].with.schedule.periods[1].hours
              found: periods[1].hours: '9-10' should be two different times such as 09:00-17:30 or, past midnight, 22:00-02:00; 24:00 can be the end only
              expected: parameters that 'schedule' accepts
            """)
    }

    @Test func `what a sentence of a strategy begins with is where it is told, in quotes too`() throws {
        try place.makePlugins(PluginFiles.bundled("Personalize", "Schedule"))
        try expect(
            """
            app: shop
            chain:
              - strategy: personalize
                parameters:
                  message: "{message}"
                  drop: {}
              - strategy: schedule
                parameters:
                  periods:
                    - months: []
            campaigns: [ { id: a } ]
            """,
            """
            belfry.yaml:6: chain[0].parameters.drop
              found: 'drop' is an empty condition, which drops everything; say whom to drop, or leave it out
              expected: parameters that 'personalize' accepts

            belfry.yaml:10: chain[1].parameters.periods[0].months
              found: periods[0].months is empty; list at least one, or leave it out for all
              expected: parameters that 'schedule' accepts
            """)
    }

    @Test func `properties that no current notification has are told with the nearest ones`() throws {
        try place.makePlugins(PluginFiles.bundled("Inhibit"))
        try expect(
            """
            app: shop
            chain:
              - strategy: inhibit
                parameters:
                  equal: [data.incident]
                  by: { severity: { $gte: 3 }, campain: outage }
            campaigns: [ { id: outage }, { id: symptom } ]
            """,
            """
            belfry.yaml:6: chain[0].parameters.by
              found: by: 'severity' and 'campain' (did you mean 'campaign'?) are nothing that is known of a current \
            notification; there are campaign, tags, data, createdAt
              expected: parameters that 'inhibit' accepts
            """)
    }

    @Test func `incomplete parameters are told where they are given`() throws {
        try expect(
            "app: shop\nchain: [ { strategy: cooldown } ]\ncampaigns:\n  - id: a\n    with: { cooldown: { from: opening } }",
            """
            belfry.yaml:5: campaigns[0].with.cooldown
              found: no 'period'
              expected: period: how long nothing more is created; 0s is no limit
              fix: give 'period' a duration with its unit, such as 90s, 30m, 1h30m or P1D, at least 0s
            """)
    }

    @Test func `parameters of the chain may be completed by campaigns`() throws {
        try place.write(
            """
            app: shop
            chain: [ { strategy: max-per-period, id: cap, parameters: { max: 2 } } ]
            campaigns: [ { id: a, with: { cap: { period: 5m } } } ]
            """, to: "belfry.yaml")
        let result = try place.belfry("config", "check")
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func `a strategy whose plugin is not there is told with the folders that were searched`() throws {
        try FileManager.default.removeItem(at: place.file("plugins/libBelfryCooldown.so"))
        try FileManager.default.createDirectory(at: place.file("more"), withIntermediateDirectories: true)
        try place.write(
            "app: shop\nplugins: { directories: [plugins, more] }\nchain:\n  - strategy: segmentation\n  - strategy: cooldown\n",
            to: "belfry.yaml")
        let result = try place.belfry("run")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                belfry.yaml:5: chain[1].strategy
                  found: the unknown strategy 'cooldown'
                  expected: one that a plugin has: the plugins in './plugins' and './more' offer max-per-period and segmentation
                  fix: put the plugin that offers it into one of these folders, or add its folder to 'plugins: directories' ('bundled' is that of belfry)

                """)
    }

    @Test func `a strategy that is almost the name of one is told with it`() throws {
        try expect(
            "app: shop\nchain: [ { strategy: cooldwn } ]",
            """
            belfry.yaml:2: chain[0].strategy
              found: the unknown strategy 'cooldwn'
              expected: one that a plugin has: the plugins in './plugins' offer cooldown, max-per-period and segmentation
              fix: did you mean 'cooldown'?
            """)
    }

    // MARK: JSON

    @Test func `errors as JSON`() throws {
        try place.write(
            "app: shop\nchain: [ { strategy: cooldwn } ]\ncampaigns: [ { id: a, mesage: Hello } ]\nplugins: { directories: [plugins] }\n",
            to: "belfry.yaml")
        let result = try place.belfry("config", "check", "--json")
        #expect(result.status == 2 && result.errors == "")
        let errors = try JSON(result.output)["errors"]?.list?.compactMap(\.map) ?? []
        #expect(errors.map { $0["path"] } == ["chain[0].strategy", "campaigns[0].mesage"])
        #expect(errors.map { $0["line"] } == [2, 3])
        #expect(errors.map { $0["fix"] } == ["did you mean 'cooldown'?", "did you mean 'message'?"])
        #expect(
            errors.allSatisfy {
                $0["file"] == "belfry.yaml" && $0["column"] != nil && $0["found"] != nil && $0["expected"] != nil
            })
    }

    @Test func `a configuration without errors is told, as text and JSON`() throws {
        try place.write("app: shop\nchain: [ { strategy: cooldown } ]\ncampaigns: [ { id: a } ]\n", to: "belfry.yaml")
        let text = try place.belfry("config", "check")
        #expect(text.status == 0 && text.errors == "")
        #expect(text.output == "belfry.yaml: no errors\n  1 entries in the chain, 1 campaigns, 0 regions, 0 groups\n")
        #expect(try place.belfry("config", "check", "--json").output == "{\"errors\":[],\"warnings\":[]}\n")
    }

    @Test func `parameters are told beside what is wrong with the form, in their own place`() throws {
        try expect(
            """
            app: shop
            chain:
              - { strategy: cooldown, parameters: { period: 30 } }
            campaigns:
              - { id: a, triggers: [ { on: dwell, dwell: 4m }, { on: enter, with: { cooldown: { period: 40 } } } ] }
            experiments:
              - { id: e, variants: [ { name: z } ] }
              - { id: f, seed: s, variants: [ { name: y, with: { cooldown: { period: 50 } } } ] }
            """,
            """
            belfry.yaml:3: chain[0].parameters.period
              found: 30
              expected: a duration with its unit, such as 90s, 30m, 1h30m or P1D, at least 0s
              fix: add the unit: '30s' for seconds, '30m' for minutes

            belfry.yaml:5: campaigns[0].triggers[0].dwell
              found: the text '4m'
              expected: a duration from 5m to 12h

            belfry.yaml:5: campaigns[0].triggers[1].with.cooldown.period
              found: 40
              expected: a duration with its unit, such as 90s, 30m, 1h30m or P1D, at least 0s
              fix: add the unit: '40s' for seconds, '40m' for minutes

            belfry.yaml:7: experiments[0].seed
              found: no key 'seed'
              expected: text that is not empty
              fix: add 'seed: …'

            belfry.yaml:8: experiments[1].variants[0].with.cooldown.period
              found: 50
              expected: a duration with its unit, such as 90s, 30m, 1h30m or P1D, at least 0s
              fix: add the unit: '50s' for seconds, '50m' for minutes
            """)
    }
}
