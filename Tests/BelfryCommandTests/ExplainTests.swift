import BelfryModel
import Foundation
import Testing

/// `belfry explain`: why, and when.
@Suite struct ExplainTests {
    private static let configuration = """
        app: shop
        store: sqlite:shop.db
        chain:
          - { strategy: not-installed, enabled: false }
          - { strategy: segmentation, id: vip, control: sufficient }
          - { strategy: cooldown, per: campaign }
          - { strategy: max-per-period, id: cap, parameters: { max: 2, period: 1h } }
          - { strategy: max-per-period, id: fair, per: group }
          - { strategy: schedule, id: opening, when: { campaign.tags: { $elemMatch: { $eq: shop } } } }
          - { strategy: once, enabled: false }
          - { strategy: cooldown, id: trial, control: observer, parameters: { period: 2h } }
          - { strategy: personalize, parameters: { message: "Hi {user.name}: {message}" } }
        groups:
          - { id: promo, with: { fair: { max: 5, period: 1d }, cooldown: { period: 20m } } }
        regions:
          - { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89, with: { cooldown: { period: 10m, boundary: closed } } }
          - { id: shelf, kind: beacon, uuid: F7826DA6, major: 1 }
        campaigns:
          - id: sale
            message: Sale
            groups: [promo]
            triggers: [ { id: near, regions: [dam], with: { cap: { max: 3 } } }, { id: far, on: exit, regions: [dam] } ]
            with: { cooldown: { period: 30m } }
          - { id: plain, message: Plain, with: { cap: off } }
          - { id: vip, message: Vip, with: { vip: { user.tier: gold } } }
          - { id: page, message: Page, data: https://shop.example, handler: landingPage }
          - { id: shop, message: Shop, tags: [shop], with: { opening: { periods: [ { hours: ["09:00-18:00"] } ] } } }
          - { id: view, kind: geotrigger, triggers: [ { regions: [dam] } ] }
          - { id: draft, message: Draft, published: false }
          - { id: close, message: Close, triggers: [ { on: near, regions: all, in: near } ] }

        """
    private let story: Story

    init() throws { story = try Story(Self.configuration) }

    private func explain(_ arguments: String...) throws -> Command.Result {
        try story.belfry(["explain", "--subject", "ana"] + arguments)
    }

    private func explained(_ arguments: String...) throws -> JSON {
        let result = try story.belfry(["explain", "--subject", "ana", "--json"] + arguments)
        try #require(result.status == 0, "\(result.errors)")
        return try JSON(result.output)
    }

    /// `entry verdict` or `entry: why it was not asked`.
    private func asked(_ arguments: String...) throws -> [String] {
        let result = try story.belfry(["explain", "--subject", "ana", "--json"] + arguments)
        return try #require(JSON(result.output)["entries"]?.list).map { entry in
            let fields = entry.map!
            let id = fields["entry"]!.text!
            return fields["verdict"]?.text.map { "\(id) \($0)" } ?? "\(id): \(fields["why"]!.text!)"
        }
    }

    @Test func `each entry with its parameters, what it remembers and what it says, then what comes of it`() throws {
        _ = try story.tell(("09:00:00", #"update {"scope":"user","name":"Ana"}"#), ("09:05:00", "enter dam"))
        let result = try explain("--campaign", "sale", "--region", "dam", "--at", "2026-03-02T09:10:00Z")
        #expect(
            result.output == """
                sale for ana, on enter at dam (trigger near), 2026-03-02T09:10:00Z

                ENTRY        CONTROL     COUNTER  SAYS       CODE      UNTIL                     WHY
                vip          sufficient           not asked                                      it needs parameters and has none here
                cooldown     required    sale     deny       cooldown  2026-03-02T09:35:00.001Z  the last one was created no more than 30m ago
                    period: 30m                       campaign sale
                    boundary: closed                  region dam
                    from: creation                    default
                    createdAt = 2026-03-02T09:05:00Z  remembered
                cap          required             allow
                    max: 3                                                       trigger near
                    period: 1h                                                   chain
                    creations = ["2026-03-02T09:05:00Z","2026-03-02T09:05:00Z"]  remembered
                fair         required    promo    allow
                    max: 5                                group promo
                    period: 1d                            group promo
                    creations = ["2026-03-02T09:05:00Z"]  remembered
                opening      required             not asked                                      its 'when' does not hold
                once         required             not asked                                      it is not enabled
                trial        observer             deny       cooldown  2026-03-02T11:05:00Z      the last one was created less than 2h ago
                    period: 2h                        chain
                    from: creation                    default
                    boundary: open                    default
                    createdAt = 2026-03-02T09:05:00Z  remembered
                personalize  required             not asked                                      filters run only while nothing has denied

                suppressed, because of:
                  cooldown: the last one was created no more than 30m ago, until 2026-03-02T09:35:00.001Z
                  trial: the last one was created less than 2h ago, until 2026-03-02T11:05:00Z (observed only)
                earliest: 2026-03-02T09:35:00.001Z, if nothing else happens meanwhile

                """)
        #expect(result.status == 0 && result.errors.isEmpty)
    }

    @Test func `why an entry is not asked`() throws {
        _ = try story.tell(("09:00:00", #"update {"tier":"gold"}"#))
        #expect(try asked("--campaign", "plain").contains("cap: it is off (campaign plain)"))
        #expect(try asked("--campaign", "plain").contains("fair: the candidate has no group, which it counts by"))
        #expect(try asked("--campaign", "page").contains("personalize: filters do not see landing pages"))
        #expect(
            try asked("--campaign", "vip") == [
                "vip allow", "cooldown: a sufficient entry has allowed", "cap: a sufficient entry has allowed",
                "fair: a sufficient entry has allowed", "opening: a sufficient entry has allowed",
                "once: a sufficient entry has allowed", "trial: a sufficient entry has allowed",
                "personalize: a sufficient entry has allowed",
            ])
    }

    @Test func `what would be created, and that at once`() throws {
        _ = try story.tell(("09:00:00", #"update {"name":"Ana"}"#))
        let result = try explain("--campaign", "plain")
        #expect(result.output.hasSuffix("\n\ncreated\n  Hi Ana: Plain\nearliest: at once\n"))
        let view = try explained("--campaign", "view", "--region", "dam")
        #expect(view["result"] == "fired" && view["earliest"] == "2026-03-02T09:00:00Z" && view["reasons"] == [])
    }

    @Test func `nothing is changed, whatever is asked`() throws {
        _ = try story.tell(("09:00:00", "enter dam"))
        let before = try story.belfry("state", "export", "ana").output
        for time in ["2026-03-02T09:00:00Z", "2027-01-01T00:00:00Z"] {
            _ = try explained("--campaign", "sale", "--region", "dam", "--at", time)
        }
        #expect(try story.belfry("state", "export", "ana").output == before)
    }

    @Test func `the time is that of the last signal, and never goes back`() throws {
        _ = try story.tell(("09:00:00", "enter dam"), ("10:00:00", "app.foregrounded"))
        #expect(try explained("--campaign", "plain")["time"] == "2026-03-02T10:00:00Z")
        let result = try explain("--campaign", "plain", "--at", "2026-03-02T08:00:00Z")
        #expect(
            result.output.contains(
                "\n2026-03-02T08:00:00Z is over for this subject, whose time has come to 2026-03-02T10:00:00Z\n"))
    }

    @Test func `the earliest instant is the last of several, and in opening hours`() throws {
        _ = try story.tell(
            ("17:50:00", "request shop"), ("17:55:00", "request shop"), ("17:56:00", #"update {"n":1}"#))
        // The cap would allow at 18:50, when the shop is closed.
        #expect(try explained("--campaign", "shop")["earliest"] == "2026-03-03T09:00:00Z")
    }

    @Test func `never, as long as nobody does anything`() throws {
        _ = try story.tell(("09:00:00", "subject.disabled"))
        let result = try explain("--campaign", "plain")
        #expect(
            result.output == """
                plain for ana, on request, 2026-03-02T09:00:00Z

                the chain is not asked

                suppressed, because of:
                  belfry: notifications are switched off for this subject
                earliest: never, as long as nothing else happens

                """)
        #expect(try explained("--campaign", "plain")["earliest"] == .null)
    }

    @Test(arguments: [
        (
            ["--campaign", "saale"],
            """
            there is no campaign 'saale'
              why: the configuration has none of that id
              fix: did you mean 'sale'?
            """
        ),
        (
            ["--campaign", "sale", "--region", "damm"],
            """
            there is no region 'damm'
              why: the configuration has none of that id
              fix: did you mean 'dam'?
            """
        ),
        (
            ["--campaign", "sale", "--trigger", "nea"],
            """
            there is no trigger 'nea'
              why: campaign 'sale' has none of that id
              fix: did you mean 'near'?
            """
        ),
        (
            ["--campaign", "plain", "--region", "dam"],
            """
            there is no such candidate
              why: no trigger of campaign 'plain' waits at region 'dam'
              fix: name a region of its triggers, or none for a request
            """
        ),
        (
            ["--campaign", "close", "--region", "dam"],
            """
            there is no such candidate
              why: no trigger of campaign 'close' waits at region 'dam'
              fix: name a region of its triggers, or none for a request
            """
        ),
        (
            ["--campaign", "sale", "--trigger", "far"],
            """
            there is no such candidate
              why: the trigger 'far' of campaign 'sale' waits at regions
              fix: name one of its regions, with --region on the command line
            """
        ),
        (
            ["--campaign", "draft"],
            """
            the campaign 'draft' is never a candidate
              why: it is not published
              fix: set 'published: true'
            """
        ),
        (
            ["--campaign", "sale", "--subject", "anna"],
            """
            there is no record of subject 'anna'
              why: no signal named it, or it was erased
              fix: did you mean 'ana'?
            """
        ),
    ])
    func `a question that cannot be asked is told, with what is meant`(arguments: [String], text: String) throws {
        _ = try story.tell(("09:00:00", "app.foregrounded"))
        let result = try story.belfry(["explain", "--subject", "ana"] + arguments)
        // A subject that is not there is nothing that was written wrongly.
        let status: Int32 = text.hasPrefix("there is no record") ? 1 : 2
        #expect(result.status == status && result.errors == text + "\n" && result.output.isEmpty)
    }
}
