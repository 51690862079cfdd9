import BelfryEngine
import BelfryModel
import Foundation
import Testing

@testable import BelfryHost

@Suite struct ConfigurationReaderTests {
    // MARK: What is read

    @Test func `every key of the contract's example is read`() throws {
        let configuration = try read(Self.example).configuration
        #expect(configuration.app == "shop")
        #expect(configuration.timeZone == "Europe/Amsterdam")
        #expect(!configuration.enableOnFirstRun)
        #expect(configuration.store == "sqlite:belfry.db")
        #expect(configuration.pluginDirectories == ["plugins"])
        #expect(configuration.currentLimit == 1)
        #expect(configuration.historyLimit == 50)
        #expect(configuration.regionLimit == 20)
        #expect(configuration.accuracyLimit == 100)
        #expect(configuration.beacons.exitDelay == .seconds(45))
        #expect(configuration.beacons.distances.map(\.name) == ["hand", "room"])
    }

    @Test func `chain entries have their defaults`() throws {
        let chain = try read(Self.example).configuration.chain
        #expect(chain.map(\.id) == ["segmentation", "promo-cap"])
        #expect(chain[0].enabled && chain[0].per == nil && chain[0].control == .required && chain[0].when == nil)
        #expect(!chain[1].enabled && chain[1].per == .group && chain[1].control == .observer && chain[1].when != nil)
        #expect(chain[1].parameters == ["max": 2, "period": "4m"])
    }

    @Test func `regions have fields as declared and the default uuid`() throws {
        let regions = try read(Self.example).configuration.regions
        #expect(regions[0].kind == .geofence(center: Coordinate(latitude: 52.37, longitude: 4.89), radius: 200))
        #expect(regions[0].name == "Store 14" && regions[0].fields == Fields([("shopName", "7")]))
        #expect(regions[1].kind == .beacon(uuid: "2F23", major: 7, minor: nil))
        #expect(regions[1].name == "shelf")
    }

    @Test func `a campaign is read with its triggers`() throws {
        let campaign = try read(Self.example).configuration.campaigns[0]
        #expect(campaign.triggers.map(\.id) == ["t1", "2", "3", "4", "5"])
        #expect(
            campaign.triggers.map(\.on) == [
                .enter, .dwell(.minutes(10)), .near(inside: 0.5, outside: 3), .request, .signal("purchase"),
            ])
        #expect(campaign.triggers[0].regions == .some(["store-14"]) && campaign.triggers[1].regions == .all)
        #expect(campaign.with == ["segmentation": .on(["premiumMember": true]), "promo-cap": .off])
        #expect(campaign.onOpen == .init(type: "url", value: "https://shop.example"))
        #expect(campaign.document["kind"] == "notification" && campaign.document["tags"] == ["marketing"])
    }

    @Test func `on, off, yes, no and dates are text; numbers follow the core schema`() throws {
        let yaml = campaign(
            "data: [on, off, yes, no, 2012-07-04, 0x1F, 0o17, -3, 1e3, .5, 007, \"12\", ~, 1_000, !!str 5]")
        #expect(
            try read(yaml).configuration.campaigns[0].data == [
                "on", "off", "yes", "no", "2012-07-04", 31, 15, -3, 1000.0, 0.5, 7, "12", .null, "1_000", "5",
            ])
    }

    @Test(arguments: ["off", "false"])
    func `off and false both switch an entry off`(_ off: String) throws {
        let yaml = "app: a\nchain: [{strategy: once}]\ngroups: [{id: g, with: {once: \(off)}}]"
        #expect(try read(yaml).configuration.groups[0].with == ["once": .off])
    }

    @Test func `aliases repeat their anchor`() throws {
        let yaml = "app: a\ncampaigns:\n  - {id: a, data: &d {x: 1}}\n  - {id: b, data: *d}"
        #expect(try read(yaml).configuration.campaigns[1].data == ["x": 1])
    }

    @Test func `a list whose items are all commented out is empty`() throws {
        #expect(try read("app: a\nchain:\n  # - strategy: once\n").configuration.chain.isEmpty)
    }

    // MARK: What is refused

    @Test func `an unknown key is reported with file, line, path and the nearest key`() {
        expect(
            "app: a\nchain:\n  - strategy: once\n    controll: required\n",
            fails: """
                belfry.yaml:4: chain[0].controll
                  found: the unknown key 'controll'
                  expected: one of strategy, id, enabled, per, parameters, control, when
                  fix: did you mean 'control'?
                """)
    }

    @Test func `all errors are reported at once, in file order`() {
        expect(
            "regionLimit: 4\ncampaigns:\n  - {id: a, priority: high}\nhistory: {limit: 0}",
            fails: """
                belfry.yaml:1: app
                  found: no key 'app'
                  expected: text that is not empty
                  fix: add 'app: …'

                belfry.yaml:1: regionLimit
                  found: the number 4
                  expected: a whole number from 5 to 20

                belfry.yaml:3: campaigns[0].priority
                  found: the text 'high'
                  expected: a whole number

                belfry.yaml:4: history.limit
                  found: the number 0
                  expected: a whole number from 1
                """)
    }

    /// One mistake each: the lines after `app: a`, and what is said about them (without `expected` where it adds nothing).
    struct Mistake: CustomTestStringConvertible {
        let yaml: String
        let path: String
        let found: String
        let expected: String
        let fix: String?
        var testDescription: String { found }

        init(_ yaml: String, _ path: String, _ found: String, _ expected: String, _ fix: String? = nil) {
            (self.yaml, self.path, self.found, self.expected, self.fix) = (yaml, path, found, expected, fix)
        }
    }

    @Test(arguments: settings + chain + regions + campaigns + triggers)
    func `a mistake is reported`(_ mistake: Mistake) throws {
        let failure = #expect(throws: ConfigurationFailure.self) { try read("app: a\n" + mistake.yaml) }
        let report = try #require(failure?.reports.first)
        #expect(failure?.reports.count == 1, "\(failure?.description ?? "")")
        #expect(report.path == mistake.path)
        #expect(report.found == mistake.found)
        #expect(report.expected == mistake.expected)
        #expect(report.fix == mistake.fix)
    }

    static let settings = [
        Mistake(
            "app2: b", "app2", "the unknown key 'app2'",
            "one of app, timeZone, enableOnFirstRun, store, plugins, actions, forward, current, batch, history, regionLimit, accuracyLimit, fields, beacons, chain, groups, regions, categories, campaigns, include"
        ),
        Mistake(
            "timeZone: Mars/Base", "timeZone", "the unknown time zone 'Mars/Base'",
            "an IANA time zone, such as Europe/Amsterdam or UTC"),
        Mistake("enableOnFirstRun: on", "enableOnFirstRun", "the text 'on'", "true or false", "write 'true'"),
        Mistake("store: redis", "store", "the text 'redis'", "memory or sqlite:PATH"),
        Mistake("accuracyLimit: 0", "accuracyLimit", "the number 0", "a number of metres larger than 0"),
        Mistake(
            "accuracyLimit: .inf", "accuracyLimit", "the number .inf", "a finite number",
            "put it in quotes if it is meant as text"),
        Mistake("current: 1", "current", "the number 1", "a mapping"),
        Mistake(
            "plugins: {directories: here}", "plugins.directories", "the text 'here'", "a list", "write it as [ … ]"),
        Mistake(
            "fields: [shop, Shop]", "fields[1]", "a second field 'Shop'", "each field once; case does not count",
            "remove one of them"),
        Mistake(
            "fields: [Region]", "fields[0]", "a region field named 'Region'", "another name",
            "rename it: {region} is the name of the region"),
        Mistake(
            "beacons: {exitDelay: 30}", "beacons.exitDelay", "the number 30",
            "a duration with a unit, such as 90s, 5m or 1h30m", "a bare number has no unit: add ms, s, m, h or d"),
        Mistake(
            "beacons: {distances: {near: 0}}", "beacons.distances.near", "the number 0",
            "a number of metres larger than 0"),
    ]

    static let chain = [
        Mistake(
            "chain: [{id: x}]", "chain[0].strategy", "no key 'strategy'", "text that is not empty", "add 'strategy: …'"),
        Mistake(
            "chain: [{strategy: once}, {strategy: once}]", "chain[1].strategy", "a second chain entry 'once'",
            "an id of its own; the first is in belfry.yaml:2", "give one of them another id"),
        Mistake(
            "chain: [{strategy: once, id: belfry}]", "chain[0].id", "the id 'belfry'", "another id",
            "choose another: 'belfry' marks the host's own reasons"),
        Mistake("chain: [{strategy: once, id: \"\"}]", "chain[0].id", "the text ''", "text that is not empty"),
        Mistake(
            "chain: [{strategy: actions}]", "chain[0].strategy", "an entry 'actions' in the chain",
            "a strategy or filter", "remove the entry: 'actions' runs actions, is always there and gives no verdict"),
        Mistake(
            "chain: [{strategy: once, per: grup}]", "chain[0].per", "the text 'grup'",
            "one of subject, channel, campaign, trigger, region, group, data.<key>", "did you mean 'group'?"),
        Mistake(
            "chain: [{strategy: once, control: observe}]", "chain[0].control", "the text 'observe'",
            "one of required, sufficient, optional, observer", "did you mean 'observer'?"),
        Mistake("chain: [{strategy: once, parameters: 5m}]", "chain[0].parameters", "the text '5m'", "a mapping"),
        Mistake(
            "chain: [{strategy: once, when: {kind: x}}]", "chain[0].when.kind", "the property 'kind'",
            "one that begins with campaign., region., trigger., data., user., channel."),
        Mistake("chain: {strategy: once}", "chain", "a mapping", "a list", "begin each item with '- '"),
        Mistake(
            "chain: [{strategy: cooldown}]\ngroups: [{id: g, with: {cooldwon: {}}}]", "groups[0].with.cooldwon",
            "the unknown chain entry 'cooldwon'", "one of cooldown", "did you mean 'cooldown'?"),
        Mistake(
            "chain: [{strategy: once}]\ngroups: [{id: g, with: {once: 5m}}]", "groups[0].with.once", "the text '5m'",
            "'off', 'on' or a mapping of parameters"),
        Mistake(
            "groups: [{id: g}, {id: g}]", "groups[1].id", "a second group 'g'",
            "an id of its own; the first is in belfry.yaml:2", "give one of them another id"),
    ]

    static let regions = [
        Mistake(
            "regions: [{id: r, kind: fence, latitude: 1}]", "regions[0].kind", "the text 'fence'",
            "one of geofence, beacon"),
        Mistake(
            "regions: [{id: r, kind: geofence, latitude: 91, longitude: 0}]", "regions[0].latitude", "the number 91",
            "a number from -90 to 90"),
        Mistake(
            "regions: [{id: r, kind: geofence, latitude: 0, longitude: 0, radius: 0}]", "regions[0].radius",
            "the number 0", "a number of metres larger than 0"),
        Mistake(
            "regions: [{id: r, kind: geofence, latitude: 0, longitude: 0, major: 1}]", "regions[0].major",
            "the unknown key 'major'", "one of id, name, kind, latitude, longitude, radius, fields, with"),
        Mistake(
            "regions: [{id: r, kind: beacon, major: 1}]", "regions[0].uuid",
            "no key 'uuid', and no 'beacons.uuid' to stand in for it", "the UUID of the beacons",
            "add 'uuid: …' here, or once for all in 'beacons'"),
        Mistake(
            "regions: [{id: r, kind: beacon, uuid: u, major: 65536}]", "regions[0].major", "the number 65536",
            "a whole number from 0 to 65535"),
        Mistake(
            "fields: [shop]\nregions: [{id: r, kind: beacon, uuid: u, major: 1, fields: {shops: A}}]",
            "regions[0].fields.shops", "the undeclared field 'shops'", "one of shop", "did you mean 'shop'?"),
        Mistake(
            "fields: [shop]\nregions: [{id: r, kind: beacon, uuid: u, major: 1, fields: {shop: true}}]",
            "regions[0].fields.shop", "true", "text", "put it in quotes"),
    ]

    static let campaigns = [
        Mistake("campaigns: [{id: \"\"}]", "campaigns[0].id", "the text ''", "text that is not empty"),
        Mistake(
            "campaigns: [{id: 12}]", "campaigns[0].id", "the number 12", "text that is not empty", "put it in quotes"),
        Mistake(
            "campaigns: [{id: c, kind: geo}]", "campaigns[0].kind", "the text 'geo'", "one of notification, geotrigger"),
        Mistake(
            "campaigns: [{id: c, handler: URL}]", "campaigns[0].handler", "the text 'URL'",
            "one of url, landingPage, applink, action, none", "did you mean 'url'?"),
        Mistake("campaigns: [{id: c, deleteOn: off}]", "campaigns[0].deleteOn", "the text 'off'", "one of exit, never"),
        Mistake(
            "campaigns: [{id: c, message: \"At {shop}\"}]", "campaigns[0].message",
            "the placeholder '{shop}', which is no declared field", "one of {region}",
            "declare it in 'fields', or write '{{' and '}}' for braces"),
        Mistake(
            "campaigns: [{id: c, title: \"a } b\"}]", "campaigns[0].title", "'}' without its '{' in 'a } b'",
            "text with balanced braces", "write '}}' for a brace"),
        Mistake(
            "groups: [{id: promo}]\ncampaigns: [{id: c, groups: [promos]}]", "campaigns[0].groups[0]",
            "the unknown group 'promos'", "one of promo", "did you mean 'promo'?"),
        Mistake(
            "campaigns: [{id: c, category: x}]", "campaigns[0].category", "the unknown category 'x'",
            "a category, but the configuration has none"),
        Mistake(
            "campaigns: [{id: c, onOpen: {value: x}}]", "campaigns[0].onOpen.type", "no key 'type'",
            "text that is not empty", "add 'type: …'"),
        Mistake(
            "categories: [{id: c, buttons: [{id: a, title: A}, {id: a, title: B}]}]", "categories[0].buttons[1].id",
            "a second button 'a'", "an id of its own; the first is in belfry.yaml:2", "give one of them another id"),
        Mistake(
            "categories: [{id: c, buttons: [{id: a, title: A, action: {}}]}]", "categories[0].buttons[0].action.type",
            "no key 'type'", "text that is not empty", "add 'type: …'"),
    ]

    static let triggers = [
        trigger("{regions: [x]}", ".regions[0]", "the unknown region 'x'", "one of r, b"),
        trigger("{regions: r}", ".regions", "the text 'r'", "'all' or a list of region ids", "write it as [r]"),
        trigger("{on: dwell, dwell: 4m}", ".dwell", "the text '4m'", "a duration from 5m to 12h"),
        trigger(
            "{on: dwell}", ".dwell", "no key 'dwell'", "a duration with a unit, such as 90s, 5m or 1h30m",
            "add 'dwell: …'"),
        trigger(
            "{on: enter, dwell: 5m}", ".dwell", "the key 'dwell' in a trigger 'on: enter'",
            "'dwell' only with 'on: dwell'", "remove it, or write 'on: dwell'"),
        trigger(
            "{on: near, regions: [b], in: nearr}", ".in", "the text 'nearr'",
            "a distance class (immediate, near, far) or metres larger than 0", "did you mean 'near'?"),
        trigger(
            "{on: near, regions: [b], in: far, out: near}", ".out", "2.5 m, less than 'in' with 40.0 m",
            "a distance that is not smaller than 'in'", "swap them, or remove 'out'"),
        trigger(
            "{on: near, regions: [r], in: 1}", ".regions[0]", "the geofence 'r'",
            "a beacon region: only beacons have a distance", "use 'on: enter' and 'on: exit' with geofences"),
        trigger(
            "{on: request, regions: all}", ".regions", "regions for a trigger 'on: request'",
            "no regions: a requested notification has none",
            "remove 'regions'; they go with enter, exit, dwell, near, away"),
        trigger(
            "{on: entre, regions: all}", ".regions", "regions for a trigger 'on: entre'",
            "no regions: a signal 'entre' has none", "did you mean 'on: enter'?"),
        Mistake(
            "campaigns: [{id: c, triggers: [{on: exit}, {id: \"1\"}]}]", "campaigns[0].triggers[1].id",
            "a second trigger '1' in one campaign", "an id of its own; the first is in belfry.yaml:2",
            "give one of them another id; without one it is the position, from 1"),
    ]

    static func trigger(_ yaml: String, _ path: String, _ found: String, _ expected: String, _ fix: String? = nil)
        -> Mistake
    {
        let regions =
            "regions: [{id: r, kind: geofence, latitude: 0, longitude: 0}, {id: b, kind: beacon, uuid: u, major: 1}]\n"
        return Mistake(
            regions + "campaigns: [{id: c, triggers: [\(yaml)]}]", "campaigns[0].triggers[0]" + path, found, expected,
            fix)
    }

    @Test func `a condition's problem is placed inside it`() {
        expect(
            "app: a\nchain:\n  - strategy: once\n    when:\n      campaign.tags: {$elemMtch: {$eq: x}}\n",
            failsAt: "belfry.yaml:5: chain[0].when.'campaign.tags'.$elemMtch")
    }

    // MARK: Files

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
                  expected: one of chain, groups, regions, campaigns, categories, fields
                  fix: move it to belfry.yaml

                more.yaml:2: include
                  found: the key 'include' in an included file
                  expected: one of chain, groups, regions, campaigns, categories, fields
                  fix: an included file cannot include others: list them in belfry.yaml

                more.yaml:3: campaign
                  found: the key 'campaign' in an included file
                  expected: one of chain, groups, regions, campaigns, categories, fields
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

    // MARK: Helpers

    static let example = """
        app: shop
        timeZone: Europe/Amsterdam
        enableOnFirstRun: false
        store: sqlite:belfry.db
        plugins: { directories: [plugins] }
        current: { limit: 1 }
        history: { limit: 50 }
        regionLimit: 20
        accuracyLimit: 100
        fields: [shopName]
        beacons: { uuid: 2F23, exitDelay: 45s, distances: { hand: 0.5, room: 3 } }
        chain:
          - strategy: segmentation
          - strategy: max-per-period
            id: promo-cap
            enabled: false
            per: group
            parameters: { max: 2, period: 4m }
            control: observer
            when: { "campaign.tags": { $elemMatch: { $eq: marketing } } }
        groups:
          - { id: promo, with: { promo-cap: { max: 2, period: 4m } } }
        regions:
          - { id: store-14, name: "Store 14", kind: geofence, latitude: 52.37, longitude: 4.89, fields: { SHOPNAME: 7 } }
          - { id: shelf, kind: beacon, major: 7 }
        campaigns:
          - id: autumn-sale
            title: Sale {{now}}
            message: "Welcome at {shopname}, {region}"
            data: https://shop.example/sale
            presentation: { image: x }
            tags: [marketing]
            groups: [promo]
            triggers:
              - { id: t1, on: enter, regions: [store-14] }
              - { on: dwell, regions: all, dwell: 10m }
              - { on: near, regions: [shelf], in: hand, out: room }
              - { on: request }
              - { on: purchase }
            category: example
            onOpen: { type: url, value: https://shop.example }
            with:
              segmentation: { premiumMember: true }
              promo-cap: false
        categories:
          - { id: example, buttons: [ { id: Accept, title: Accept, action: { type: url, value: x } }, { id: Reject, title: Reject } ] }
        """

    private func campaign(_ line: String) -> String { "app: a\ncampaigns:\n  - id: c\n    \(line)\n" }

    private func read(_ yaml: String) throws -> ConfigurationDocument {
        try Folder(["belfry.yaml": yaml]).read()
    }

    private func failure(_ yaml: String) -> String {
        (try? Folder(["belfry.yaml": yaml]).failure()) ?? "no folder"
    }

    private func expect(_ yaml: String, fails text: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(failure(yaml) == text, sourceLocation: location)
    }

    private func expect(_ yaml: String, failsAt position: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(failure(yaml).hasPrefix(position + "\n"), "\(failure(yaml))", sourceLocation: location)
    }

    private func expect(_ yaml: String, failsWith found: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(failure(yaml).contains("found: \(found)"), "\(failure(yaml))", sourceLocation: location)
    }
}
