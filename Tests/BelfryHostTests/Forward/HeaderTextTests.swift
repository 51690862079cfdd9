import Testing

@testable import BelfryConfiguration
@testable import BelfryPluginHost

@Suite struct HeaderTextTests {
    private static let environment = ["TOKEN": "s3cret\n", "_B2": "b", "EMPTY": ""]

    @Test(arguments: [
        ("plain", "plain"), ("Bearer ${TOKEN}", "Bearer s3cret"), ("${TOKEN}:${_B2}!", "s3cret:b!"),
        ("$TOKEN", "$TOKEN"),
        ("", ""), ("5$ {x}", "5$ {x}"),
    ])
    func `variables are filled in`(text: String, filled: String) throws {
        #expect(try HeaderText(text)?.filled(from: Self.environment) == filled)
    }

    @Test(arguments: ["${", "${}", "${TOKEN", "${1A}", "${A-B}", "${ A }"])
    func `a variable needs a name and an end`(text: String) {
        #expect(HeaderText(text) == nil)
    }

    @Test(arguments: ["EMPTY", "NOWHERE"])
    func `a variable without a value is missing`(name: String) throws {
        let text = try #require(HeaderText("Bearer ${\(name)}"))
        #expect(throws: MissingVariable(name: name)) { try text.filled(from: Self.environment) }
    }
}
