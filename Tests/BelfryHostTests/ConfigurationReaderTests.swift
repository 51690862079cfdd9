import BelfryEngine
import BelfryModel
import Testing

@Suite struct ConfigurationReaderTests {
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
            "data: [on, off, yes, no, 2012-07-04, 0x1F, 0o17, -3, 1e3, .5, 007, \"12\", ~, 1_000, !!str 5, !!int 5, !!bool true]"
        )
        #expect(
            try read(yaml).configuration.campaigns[0].data == [
                "on", "off", "yes", "no", "2012-07-04", 31, 15, -3, 1000.0, 0.5, 7, "12", .null, "1_000", "5", 5, true,
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
}
