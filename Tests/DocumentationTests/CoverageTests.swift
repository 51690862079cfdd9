import Foundation
import Testing

/// `docs/seed-coverage.md`: no feature is missing, and no test that it names.
@Suite struct CoverageTests {
    private struct Row {
        let id: String
        /// The last column.
        let evidence: Substring

        /// Suites and names, written `Suite` “name”.
        var tests: [(suite: String, name: String)] {
            evidence.matches(of: /`(\w+)` “([^”]+)”/).map { (String($0.1), String($0.2)) }
        }
    }

    private let rows: [Row]

    init() throws {
        let page = try String(
            contentsOf: Page.repository.appending(path: "docs/seed-coverage.md"), encoding: .utf8)
        rows = page.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("|"), cells.count == 4, cells[0].contains(/^[PANI]-\d{2,3}$/) else { return nil }
            return Row(id: cells[0], evidence: cells[3][...])
        }
    }

    @Test func `every feature has its row, in order`() {
        let ids =
            (1...178).map { ("P", $0) } + (1...57).map { ("A", $0) } + (1...53).map { ("N", $0) }
            + (1...49).map { ("I", $0) }
        #expect(rows.map(\.id) == ids.map { $1 < 10 ? "\($0)-0\($1)" : "\($0)-\($1)" })
    }

    @Test func `every row names a test, or says why there is none`() {
        for row in rows {
            #expect(!row.tests.isEmpty || row.evidence.hasPrefix("not applicable: "), "\(row.id): \(row.evidence)")
        }
    }

    @Test func `every test that is named exists`() throws {
        let files = try Self.testFiles()
        for row in rows {
            for test in row.tests {
                let exists = files.contains {
                    $0.contains("struct \(test.suite) {") && $0.contains("func `\(test.name)`(")
                }
                #expect(exists, "\(row.id): `\(test.suite)` “\(test.name)”")
            }
        }
    }

    private static func testFiles() throws -> [String] {
        let folder = Page.repository.appending(path: "Tests")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return try names.filter { $0.hasSuffix("Tests.swift") }.map {
            try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }
    }
}
