import BelfryTesting
import Testing

@testable import MyPlugin

@Suite struct MyPluginTests {
    @Test func `a title that is too long is cut`() throws {
        let test = try FilterTest(MyPlugin.self, parameters: ["length": 6])
        #expect(try test.request(title: "Spring").title == "Spring")
        let cut = try test.request(title: "Spring sale", message: "Half price")
        #expect(cut.title == "Sprin…" && cut.message == "Half price")
    }

    @Test func `a title of forty characters fits by default`() throws {
        let test = try FilterTest(MyPlugin.self)
        let title = String(repeating: "é", count: 40)
        #expect(try test.request(title: title).title == title)
        #expect(try test.request(title: title + "é").title?.count == 40)
    }

    /// What is shipped is the file.
    @Test func `the plugin that was built cuts it too`() throws {
        let test = try FilterTest(table: BuiltPlugin("libMyPlugin.so").filter(), parameters: ["length": 6])
        #expect(try test.request(title: "Spring sale").title == "Sprin…")
    }
}
