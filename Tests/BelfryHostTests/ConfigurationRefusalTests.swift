import Testing

@testable import BelfryConfiguration

@Suite struct ConfigurationRefusalTests {
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

    @Test(arguments: [
        ("int", "shop"), ("int", "\"5\""), ("int", "1.5"), ("float", "x"), ("bool", "yes"), ("null", "0"),
        ("timestamp", "2026-03-02"),
    ])
    func `a tag that says something else than its value is refused`(tag: String, value: String) {
        expect(
            "app: !!\(tag) \(value)",
            fails: """
                belfry.yaml:1: app
                  found: the tag 'tag:yaml.org,2002:\(tag)'
                  expected: a value without a tag
                  fix: remove the tag
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
            "one of app, timeZone, enableOnFirstRun, store, plugins, trust, actions, forward, current, batch, journal, isolation, limits, sandbox, serve, duplicates, clock, history, regionLimit, accuracyLimit, fields, beacons, chain, groups, regions, categories, campaigns, experiments, silences, sinks, include"
        ),
        Mistake(
            "timeZone: Mars/Base", "timeZone", "the unknown time zone 'Mars/Base'",
            "an IANA time zone, such as Europe/Amsterdam or UTC",
            "name an area and a city; 'timedatectl list-timezones' lists them"),
        Mistake(
            "silences: [{id: s, matchers: {tag: t}, until: 2026-03-02}]", "silences[0].until", "the text '2026-03-02'",
            "an instant, such as 2026-03-02T09:00:00Z",
            "it has no time of day: write for example 2026-03-02T00:00:00Z"),
        Mistake(
            "silences: [{id: s, matchers: {tag: t}, until: '2026-03-02T09:00'}]", "silences[0].until",
            "the text '2026-03-02T09:00'", "an instant, such as 2026-03-02T09:00:00Z",
            "it has no seconds and time zone: write for example 2026-03-02T09:00:00Z"),
        Mistake("enableOnFirstRun: on", "enableOnFirstRun", "the text 'on'", "true or false", "write 'true'"),
        Mistake("store: redis", "store", "the text 'redis'", "memory, sqlite:PATH or postgres:URL"),
        Mistake(
            "serve: {advertise: 'unix:/run/belfry.sock'}", "serve.advertise", "the text 'unix:/run/belfry.sock'",
            "an address that other replicas reach, with a port, such as 10.0.0.2:8787"),
        Mistake(
            "serve: {jwt: {keys: k, issuer: i, audience: a, roles: {}}}", "serve.jwt.roles", "an empty mapping",
            "a mapping from what the claim says to submit, read, operate or admin", "or leave 'roles' out"),
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
        Mistake(
            "beacons: {distances: {}}", "beacons.distances", "an empty mapping",
            "a mapping of distance classes to metres"),
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
            "the placeholder '{shop}', which is no declared field", "one of {region}, {count}",
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
        trigger(
            "{on: clock.advanced}", ".on",
            "a trigger 'on: clock.advanced', which never fires: that signal has no subject",
            "a signal that happens to a subject", "name another type: only 'clock.advanced' has no subject"),
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
}
