import BelfryTesting
import Foundation
import Testing

@testable import MyPlugin

@Suite struct MyPluginTests {
    private let file = FileManager.default.temporaryDirectory.appending(path: "rung-\(UUID().uuidString).txt").path
    private var text: String? { try? String(contentsOfFile: file, encoding: .utf8) }

    @Test func `each notification becomes a line`() throws {
        defer { try? FileManager.default.removeItem(atPath: file) }
        let test = try SinkTest(MyPlugin.self, parameters: ["file": .text(file)])
        for subject in ["ana", "bob"] {
            #expect(test.deliver("notification.created", to: subject, data: ["title": "Half price"]) == .taken)
        }
        #expect(text == "ana: Half price\nbob: Half price\n")
    }

    @Test func `what has no title is given up`() throws {
        let test = try SinkTest(MyPlugin.self, parameters: ["file": .text(file)])
        #expect(test.deliver("notification.deleted", to: "ana") == .never("it has no title"))
    }

    @Test func `a file that cannot be written to is tried again`() throws {
        let test = try SinkTest(MyPlugin.self, parameters: ["file": "nowhere/rung.txt"])
        #expect(
            test.deliver("notification.created", to: "ana", data: ["title": "Half price"])
                == .failed("the file cannot be opened"))
    }

    /// What is shipped is the file.
    @Test func `the plugin that was built delivers too`() throws {
        defer { try? FileManager.default.removeItem(atPath: file) }
        let test = try SinkTest(table: BuiltPlugin("libMyPlugin.so").sink(), parameters: ["file": .text(file)])
        #expect(test.deliver("notification.created", to: "ana", data: ["title": "Half price"]) == .taken)
        #expect(text == "ana: Half price\n")
    }
}
