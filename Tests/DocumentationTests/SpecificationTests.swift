import Foundation
import Testing

/// What SPECIFICATION.md says is enforced by something that is there.
@Suite struct SpecificationTests {
    private let text = Result { try read("SPECIFICATION.md") }

    private static func read(_ path: String) throws -> String {
        try String(contentsOf: Page.repository.appending(path: path), encoding: .utf8)
    }

    @Test func `every promise names what enforces it, and that is there`() throws {
        let rows = try text.get().split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| promise") }
        #expect(rows.count > 20)
        let (suites, targets) = (try Self.suites(), try Self.read("Makefile"))
        for row in rows {
            let enforced = row.split(separator: "|").last.map(String.init) ?? ""
            let names = enforced.matches(of: /`([A-Za-z]+Tests)`/).map { String($0.1) }
            let commands = enforced.matches(of: /`make ([a-z-]+)`/).map { String($0.1) }
            #expect(!names.isEmpty || !commands.isEmpty, "\(row)")
            for name in names { #expect(suites.contains(name), "there is no suite '\(name)'") }
            for command in commands { #expect(targets.contains("\n\(command): "), "there is no 'make \(command)'") }
        }
    }

    /// The names of all suites.
    private static func suites() throws -> Set<String> {
        let tests = Page.repository.appending(path: "Tests")
        let walk = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
        let files = walk?.compactMap { $0 as? URL } ?? []
        return try files.filter { $0.pathExtension == "swift" }.reduce(into: []) { names, file in
            let source = try String(contentsOf: file, encoding: .utf8)
            names.formUnion(source.matches(of: #/(?:struct|enum) ([A-Za-z]+Tests) /#).map { String($0.1) })
        }
    }
}
