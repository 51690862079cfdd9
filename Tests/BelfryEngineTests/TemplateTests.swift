import BelfryEngine
import BelfryModel
import Testing

/// Texts with placeholders (docs/configuration.md).
@Suite struct TemplateTests {
    private func town(_ message: String) throws -> Town {
        try Town {
            $0.fields = ["shopName", "floor"]
            $0[region: "store"].name = "The Store"
            $0[region: "store"].fields = ["shopName": "Alpha"]
            $0[campaign: "sale"].message = message
        }
    }

    @Test(arguments: [
        ("Welcome at {shopName}", "Welcome at Alpha"), ("{SHOPNAME}!", "Alpha!"), ("{region}", "The Store"),
        ("{{region}} in {region}}}", "{region} in The Store}"), ("plain", "plain"), ("", ""),
    ])
    func `placeholders are the region's fields and its name`(message: String, filled: String) throws {
        let town = try town(message)
        town.send(.enter("store"), at: "10:00")
        #expect(town.decisions.first?.created?.content.message == filled)
        #expect(town.warnings == [])
    }

    @Test func `a missing value is empty, and warned about`() throws {
        let town = try town("{shopName}, floor {floor}.")
        town.send(.enter("store"), at: "10:00")
        #expect(town.decisions.first?.created?.content.message == "Alpha, floor .")
        #expect(
            town.warnings == ["campaign 'sale': region 'store' has no field 'floor', so its text has nothing there"])
    }

    @Test func `so is the region where there is none`() throws {
        let town = try town("In {region}: {shopName}")
        town.send(.request("sale"), at: "10:00")
        #expect(town.decisions.first?.created?.content.message == "In : ")
        #expect(
            town.warnings == [
                "campaign 'sale': there is no region for '{region}', so its text has nothing there",
                "campaign 'sale': there is no region for '{shopName}', so its text has nothing there",
            ])
    }
}
