import Testing

/// Plot Projects: segmentation, on properties and on campaign history.
@Suite struct PlotSegmentationTests {
    private func story(_ condition: String) throws -> Story {
        try Story(
            """
            app: plot
            chain: [ { strategy: segmentation } ]
            campaigns: [ { id: welcome }, { id: offer, with: { segmentation: \(condition) } } ]
            """)
    }

    /// Which of these conditions hold for these values, each asked by a campaign of its own.
    private func holding(_ cases: [(condition: String, values: String)]) throws -> [String] {
        let campaigns = cases.enumerated().map { "  - { id: a\($0), with: { segmentation: \($1.condition) } }" }
        let story = try Story("app: plot\nchain: [ { strategy: segmentation } ]\ncampaigns:\n" + campaigns.asFile)
        let told = try story.tell(
            cases.enumerated().flatMap { [("09:00:00", "set \($1.values)"), ("09:00:00", "request a\($0)")] })
        #expect(told.count == cases.count)
        return zip(cases, told).filter { $1.contains(" created ") }.map(\.0.condition)
    }

    /// The values are those of Plot's samples.
    private static let sample =
        #"{"premiumMember":true,"gender":"M","yearOfBirth":1980,"moneySpent":10.35,"signUp":"2015-03-16T15:26:07Z"}"#

    @Test func `both sides have to say the same`() throws {
        let story = try self.story("{ premiumMember: true }")
        #expect(
            try story.tell(
                ("09:00:00", "request offer"), ("09:01:00", #"set {"premiumMember":false}"#),
                ("09:01:00", "request offer"),
                ("09:02:00", #"set {"premiumMember":true}"#), ("09:02:00", "request offer")) == [
                    "09:00:00 suppressed offer by segmentation", "09:01:00 suppressed offer by segmentation",
                    "09:02:00 created offer/1",
                ])
    }

    @Test func `booleans, texts, integers, doubles and dates match what is equal or in the range`() throws {
        let conditions = [
            "{ premiumMember: true }", "{ gender: M }", "{ gender: { $in: [F, M] } }", "{ yearOfBirth: 1980 }",
            "{ yearOfBirth: { $gte: 1980, $lt: 1981 } }", "{ moneySpent: 10.35 }", "{ moneySpent: { $gt: 10 } }",
            #"{ signUp: { $lt: "2015-03-16T16:26:08+01:00" } }"#, #"{ signUp: { $gte: "2015-03-16T16:26:07+01:00" } }"#,
            "{ premiumMember: true, gender: M }", "{ $or: [ { gender: F }, { yearOfBirth: { $lt: 1990 } } ] }",
        ]
        #expect(try holding(conditions.map { ($0, Self.sample) }) == conditions)
    }

    @Test func `and nothing else`() throws {
        let conditions = [
            "{ premiumMember: false }", "{ gender: F }", "{ gender: m }", "{ yearOfBirth: 1981 }",
            "{ moneySpent: 10.36 }", #"{ signUp: { $lt: "2015-03-16T15:26:07Z" } }"#,
            "{ premiumMember: true, gender: F }", "{ newsletter: true }",
        ]
        #expect(try holding(conditions.map { ($0, Self.sample) }) == [])
    }

    @Test func `another type is no match, and no crash`() throws {
        let cases = [
            ("{ premiumMember: true }", #"{"premiumMember":"true"}"#),
            ("{ premiumMember: true }", #"{"premiumMember":1}"#),
            ("{ yearOfBirth: 1980 }", #"{"yearOfBirth":"1980"}"#),
            ("{ yearOfBirth: 1980 }", #"{"yearOfBirth":[1980]}"#),
            ("{ gender: M }", #"{"gender":{"value":"M"}}"#), ("{ moneySpent: 10.35 }", #"{"moneySpent":"10.35"}"#),
            (#"{ signUp: { $gt: "2015-01-01T00:00:00Z" } }"#, #"{"signUp":true}"#),
            (#"{ signUp: { $lt: "2015-01-01T00:00:00Z" } }"#, #"{"signUp":true}"#),
            ("{ moneySpent: { $gt: 10 } }", #"{"moneySpent":"much"}"#),
            ("{ moneySpent: { $gt: 10 } }", #"{"moneySpent":null}"#),
            ("{ moneySpent: { $lt: 10 } }", #"{"moneySpent":[1]}"#),
        ]
        #expect(try holding(cases) == [])
    }

    @Test func `a value replaces the former one, and null clears it`() throws {
        let story = try self.story("{ tier: 2, city: { $exists: true } }")
        #expect(
            try story.tell(
                ("09:00:00", #"update {"tier":1,"city":"Delft"}"#), ("09:00:00", #"update {"tier":2}"#),
                ("09:01:00", "request offer"), ("09:02:00", #"update {"city":null}"#), ("09:03:00", "request offer"))
                == [
                    "09:01:00 created offer/1", "09:03:00 suppressed offer by segmentation",
                ])
    }

    /// Plot on Android: seconds since 1970.
    @Test func `dates may be numbers of seconds`() throws {
        let seconds = #"{"signUp":1426503567}"#
        let (from, after) = ("{ signUp: { $gte: 1426503567 } }", "{ signUp: { $gt: 1426503567 } }")
        #expect(try holding([(from, seconds), (after, seconds)]) == [from])
    }

    @Test func `a property of the device goes before that of the user`() throws {
        let story = try self.story("{ tier: gold }")
        #expect(
            try story.tell(
                ("09:00:00", #"set {"tier":"gold"}"#), ("09:01:00", "phone: request offer"),
                ("09:02:00", #"phone: set {"tier":"none"}"#), ("09:03:00", "phone: request offer"),
                ("09:04:00", "tablet: request offer")) == [
                    "09:01:00 created offer/1", "09:03:00 suppressed offer by segmentation", "09:04:00 created offer/2",
                ])
    }

    /// Plot attaches a campaign to a country by its code of three letters.
    @Test func `a country is a property like others, and an unknown one no match`() throws {
        let inCountry = "{ country: NLD }"
        #expect(try holding([(inCountry, #"{"country":"NLD"}"#)]) == [inCountry])
        #expect(try holding([(inCountry, #"{"country":"BEL"}"#), (inCountry, "{}")]) == [])
    }

    @Test func `history counts what was created, cleared or not and beyond the limit`() throws {
        let story = try Story(
            """
            app: plot
            history: { limit: 1 }
            chain: [ { strategy: segmentation } ]
            campaigns:
              - { id: welcome }
              - { id: other }
              - { id: offer, with: { segmentation: { history.welcome.count: 2, history.other.count: 1 } } }
              - { id: first, with: { segmentation: { history.welcome.count: 0 } } }
              - { id: late, with: { segmentation: { history.welcome.lastAt: { $lt: "2026-03-02T09:02:00Z" } } } }
            """)
        #expect(
            try story.tell(
                ("09:00:00", "request late"), ("09:00:00", "request first"), ("09:00:00", "request welcome"),
                ("09:00:00", "request offer"), ("09:01:00", "request welcome"), ("09:02:00", "request other"),
                ("09:03:00", "clear notifications"), ("09:04:00", "request offer"), ("09:04:00", "request first"),
                ("09:04:00", "request late")) == [
                    "09:00:00 suppressed late by segmentation", "09:00:00 created first/1",
                    "09:00:00 created welcome/1",
                    "09:00:00 suppressed offer by segmentation", "09:01:00 created welcome/2",
                    "09:02:00 created other/1",
                    "09:04:00 created offer/1", "09:04:00 suppressed first by segmentation", "09:04:00 created late/1",
                ])
    }

    @Test func `an identifier for advertising is an attribute, and gone when the user takes it back`() throws {
        let story = try Story("app: plot\nstore: sqlite:plot.db\n")
        _ = try story.tell(("09:00:00", #"phone: set {"advertisingID":"38400000-8cf0"}"#))
        #expect(try story.belfry("state", "show", "ana").output.contains("38400000-8cf0"))
        _ = try story.tell(("09:01:00", #"phone: update {"advertisingID":null}"#))
        #expect(try !story.belfry("state", "show", "ana").output.contains("advertisingID"))
    }
}
