import BelfryJournal
import BelfryModel
import Testing

@testable import BelfryService

/// Readers of decisions that stand somewhere while a subject is erased.
@Suite struct DecisionReaderTests {
    private static func erase(_ subject: String, from journal: Journal) throws {
        try journal.rewrite { entry in
            let lines = entry[.lines].split(separator: UInt8(ascii: "\n")).map { line -> [UInt8] in
                let isAbout = Value(json: line)?.map?["subject"]?.text == subject
                return isAbout ? Array(repeating: UInt8(ascii: " "), count: line.count) : Array(line)
            }
            entry[.lines] = lines.flatMap { $0 + [UInt8(ascii: "\n")] }
            return !lines.isEmpty
        }
    }

    @Test func `what waits in a reader, and what it has not read yet, is not given once it was erased`() throws {
        let bench = try SinkBench()
        let reader = try DecisionReader(bench.journal, after: bench.journal.cursor(0))
        try bench.decide("ana:1", "eve:1", "bob:1")
        try bench.decide("eve:2", "bob:2")
        #expect(try reader.next()?.decision["id"] == "ana:1")
        try Self.erase("eve", from: bench.journal)
        // A page that was under way gives its reader back after those that are idle were let go.
        let readers = DecisionReaders()
        let cursor = reader.cursor
        readers.keep(reader)
        let next = try readers.reader(of: bench.journal, after: cursor)
        #expect(next === reader)
        var ids: [Value?] = []
        while let item = try next.next() { ids.append(item.decision["id"]) }
        #expect(ids == ["bob:1", "bob:2"])
        #expect(next.cursor == bench.journal.cursor(5))
    }
}
