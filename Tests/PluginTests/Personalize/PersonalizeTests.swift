import BelfryPlugin
import BelfryTesting
import Testing

@Suite struct PersonalizeTests {
    /// A subject Ana in a shop whose store has the field `shopName`.
    private func test(_ parameters: Value?) throws -> FilterTest {
        let test = try FilterTest(Personalize.self, parameters: parameters) {
            $0.fields = ["shopName"]
            $0.regions[0].name = "The Store"
            $0.regions[0].fields = Fields([("shopName", "Alpha")])
        }
        try test.set(user: ["firstName": "Ana", "shopName": "none", "age": 30, "tags": ["a", "b"], "gone": Value.null])
        try test.set(channel: ["tier": "gold", "address": ["city": "Delft"]])
        return test
    }

    @Test(
        arguments: [
            ("Hello {firstName}! {message}", "Hello Ana! Welcome"), ("{title}: {message}", "sale: Welcome"),
            ("{{firstName}} {firstName}}}", "{firstName} Ana}"), ("", ""), ("no blanks", "no blanks"),
            ("{user.firstName} {channel.tier} {tier}", "Ana gold gold"), ("{address.city}", "Delft"),
            ("{age} {tags} {address}", #"30 ["a","b"] {"city":"Delft"}"#), ("{history.sale.count}", "0"),
            ("{MESSAGE} {Title}", "Welcome sale"), ("{user.shopName}", "none"),
            ("{message}{message}", "WelcomeWelcome"),
        ])
    func `a template is filled from the notification and the attributes`(template: String, filled: String) throws {
        let test = try test(["message": .text(template)])
        #expect(try test.request(message: "Welcome").message == filled)
        #expect(test.warnings == [])
    }

    @Test(
        arguments: [
            ("At {region}", "At The Store"), ("{REGION}, {SHOPNAME}", "The Store, Alpha"),
            ("{shopName} before {user.shopName}", "Alpha before none"),
        ])
    func `it is filled from the region, in any case`(template: String, filled: String) throws {
        let test = try test(["message": .text(template)])
        #expect(try test.enter().map(\.message) == [filled])
        #expect(test.warnings == [])
    }

    @Test func `a bare name is the channel's attribute, else the user's`() throws {
        let test = try test(["message": "{firstName}"])
        try test.set(channel: ["firstName": "Phone"])
        #expect(try test.request().message == "Phone")
        try test.set(channel: [:])
        #expect(try test.request().message == "Ana")
    }

    @Test(arguments: [
        "lastName", "user.lastName", "gone", "region", "shopname2", "data", "data.x", "message", "firstname",
    ])
    func `what is missing is empty, and warned about once`(name: String) throws {
        let test = try test(["title": .text("<{\(name)}>")])
        for _ in 1...2 { #expect(try test.request().title == "<>") }
        #expect(
            test.warnings == [
                "personalize: nothing is known for '{\(name)}' in the title of campaign 'sale', so it has nothing there"
            ])
    }

    @Test func `all three are filled from what came in, and what has no template stays`() throws {
        let test = try test(["title": "{message}", "message": "{title}", "data": "{title} {message}"])
        let content = try test.request(title: "T", message: "M", data: "D").content
        #expect([content?.title, content?.message, content?.data?.text] == ["M", "T", "T M"])
        let untouched = try self.test(["title": "t"]).request(message: "M", data: ["a": 1])
        #expect(untouched.message == "M" && untouched.data == ["a": 1])
    }

    /// Plot Projects: the data has no format.
    @Test(
        arguments: [
            ("x", "Test123: x"), (5, "Test123: 5"), (1.5, "Test123: 1.5"), (true, "Test123: true"),
            (["a": [1, "b"]], #"Test123: {"a":[1,"b"]}"#), (.null, "Test123: "),
        ] as [(Value, String)])
    func `data becomes text, whatever it was`(data: Value, text: String) throws {
        #expect(try test(["data": "Test123: {data}"]).request(data: data).data == .text(text))
    }

    @Test func `data may be a mapping, whose placeholders stand for values`() throws {
        let template: Value = [
            "url": "{data}", "all": ["{tags}", "{firstName}!", 7], "at": "{address}", "no": "{gone}",
        ]
        let test = try test(["data": template])
        #expect(
            try test.request(data: "https://shop.example").data == [
                "url": "https://shop.example", "all": [["a", "b"], "Ana!", 7], "at": ["city": "Delft"], "no": .null,
            ])
        #expect(test.warnings.count == 1)
    }

    @Test func `a path leads into the data`() throws {
        let test = try test(["message": "{data.order.total} for {data.order.items.0}"])
        #expect(try test.request(data: ["order": ["total": 12, "items": ["socks"]]]).message == "12 for socks")
        #expect(test.warnings == [])
    }

    @Test func `data that becomes an address is opened as one`() throws {
        let test = try test(["data": "https://shop.example/{data}"])
        #expect(try test.request(data: "sale").content?.handler == "url")
    }

    @Test func `without parameters everything passes as it is`() throws {
        let test = try test(nil)
        let content = try test.request(title: "T", message: "{x}", data: 1).content
        #expect(content?.title == "T" && content?.message == "{x}" && content?.data == 1)
    }

    @Test(
        arguments: [
            (["firstName": "Ana"], true), (["user.age": ["$gte": 18]], true), (["channel.tier": "silver"], false),
            (["campaign.id": "sale", "trigger.on": "request", "data.price": ["$lt": 5]], true),
            (["region.id": "store"], false), (["nobody": ["$exists": true]], false), (["history.sale.count": 0], true),
        ] as [(Value, Bool)])
    func `drop is a condition on the candidate and the attributes`(condition: Value, drops: Bool) throws {
        let outcome = try test(["drop": condition, "message": "{lastName}"]).request(message: "M", data: ["price": 4])
        #expect(outcome == .dropped("'drop' holds: \(condition.json)") || !drops)
        #expect((outcome.content == nil) == drops)
    }

    @Test(arguments: [("shopName", true), ("SHOPNAME", true), ("floor", false)])
    func `drop knows region fields in any case`(field: String, drops: Bool) throws {
        let test = try test(["drop": .map(Fields([("region.fields.\(field)", .text("Alpha"))]))])
        #expect(try test.enter().map { $0.content == nil } == [drops])
    }

    @Test func `what is dropped is not warned about`() throws {
        let test = try test(["drop": ["firstName": "Ana"], "message": "{lastName}"])
        try test.request()
        #expect(test.warnings == [])
    }

    @Test(
        arguments: [
            (["message": "{firstName"], "'message' has '{' without its '}'"), (["title": "{}"], "'title' has '{}'"),
            (["data": "a } b"], "'data' has '}' without its '{'"), (["message": "{a {b}"], "'{' without its '}'"),
            (["data": ["a": ["{b"]]], "'data' has '{' without its '}'"), (["data": 5], "'data' is a whole number"),
            (["drop": [:]], "'drop' is an empty condition"), (["drop": ["a": ["$foo": 1]]], "$foo"),
            (["drop": "a"], "drop"), (["message": 5], "message"), (["mesage": "a"], "did you mean 'message'?"),
        ] as [(Value, String)])
    func `wrong parameters are refused with a sentence`(parameters: Value, part: String) {
        let failure = #expect(throws: FilterTest.Failure.self) { try test(parameters) }
        #expect(failure?.description.contains(part) == true, "\(failure?.description ?? "")")
    }
}
