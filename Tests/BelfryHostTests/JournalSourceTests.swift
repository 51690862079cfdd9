import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryStore
import Testing

@testable import BelfryRuntime
@testable import BelfrySignals

/// What a shadow gets of a run: its signals and its ticks, and blanks where a subject was erased.
@Suite struct JournalSourceTests {
    private let store: OpenStore

    init() throws { store = try OpenStore(inMemory: MemoryStore()) }

    private struct Line: Equatable {
        let text: String
        let number: Int
        let end: Int
    }

    private static func time(_ seconds: Int64) -> Instant {
        Instant(rfc3339: "2026-03-02T09:00:00Z")! + .seconds(seconds)
    }
    private static func signal(_ id: String, of subject: String) -> String {
        #"{"id":"\#(id)","type":"purchase","subject":"\#(subject)"}"#
    }
    private static func tick(_ seconds: Int64) -> String {
        #"{"type":"clock.advanced","time":"\#(time(seconds))"}"#
    }

    /// - Parameter seconds: the last tick of the run by then.
    /// - Returns: the number of the entry.
    @discardableResult private func add(_ signals: String..., passed seconds: Int64) throws -> UInt64 {
        var (entry, position) = (JournalEntry(writtenAt: Self.time(seconds)), try RunPosition(nil))
        position.passed = Self.time(seconds)
        entry.values[RunPosition.key] = position.bytes
        entry[.signals] = Array(signals.map { $0 + "\n" }.joined().utf8)
        return try store.journal.append(entry)
    }

    private func source(after line: Line? = nil, passed seconds: Int64 = 0) throws -> JournalSource {
        let source = JournalSource(store.journal, of: try store.identity, batchSize: 1000, JournalBell())
        var position = try RunPosition(nil)
        if let line {
            position.passed = Self.time(seconds)
            position.input = InputPosition(
                name: try store.identity, offset: line.end, line: line.number, isFinished: false, fingerprint: 0)
        }
        try source.begin(after: position)
        return source
    }

    private static func rest(of source: JournalSource) -> [Line] {
        var lines: [Line] = []
        while let line = source.nextBuffered() {
            lines.append(
                Line(text: String(decoding: line.bytes, as: UTF8.self), number: line.number, end: line.end))
        }
        return lines
    }

    @Test func `a tick that is noted with signals comes before them, and they keep their places`() throws {
        let (a, b, c) = (Self.signal("a", of: "ana"), Self.signal("b", of: "ben"), Self.signal("c", of: "eva"))
        try add(a, passed: 0)
        let entry = try add(b, c, passed: 5)
        try add(a, passed: 5)
        try add(passed: 9)
        let lines = Self.rest(of: try source())
        #expect(lines.map(\.text) == [Self.tick(0), a, Self.tick(5), b, c, a, Self.tick(9)])
        #expect(lines[3].number == JournalPlace(entry: entry, lines: 1).number)
        #expect(lines[4].number == JournalPlace(entry: entry, lines: 2).number)
        #expect(Set(lines.map(\.number)).count == lines.count)
    }

    @Test func `whatever line was the last one, those behind it come once`() throws {
        let (a, b) = (Self.signal("a", of: "ana"), Self.signal("b", of: "ben"))
        try add(a, passed: 0)
        try add(a, b, passed: 5)
        try add(passed: 9)
        try add(b, passed: 12)
        let (lines, passed) = (Self.rest(of: try source()), [0, 0, 5, 5, 5, 9, 12, 12] as [Int64])
        try #require(lines.count == passed.count)
        for (index, line) in lines.enumerated() {
            let rest = Self.rest(of: try source(after: line, passed: passed[index]))
            #expect(rest == Array(lines[(index + 1)...]), "behind \(line)")
        }
    }

    @Test func `a tick of the input is no second one`() throws {
        try add(Self.tick(5), passed: 5)
        #expect(Self.rest(of: try source()).map(\.text) == [Self.tick(5)])
    }

    @Test func `what is erased after it was read is blank all the same`() throws {
        let (a, b) = (Self.signal("a", of: "ana"), Self.signal("b", of: "ben"))
        try store.records.commit(
            StoreBatch(records: [
                RecordChange(subject: "ana", bytes: SubjectRecord(subject: "ana", lastDecision: 3).stored())
            ]))
        try add(b, a, b, passed: 0)
        try add(a, b, passed: 5)
        let source = try source()
        // One entry is taken in part, and the file of the next one is open.
        for _ in 0..<2 { _ = source.nextBuffered() }
        #expect(try store.erase("ana"))
        try source.readAnew()
        let blank = String(repeating: " ", count: a.utf8.count)
        #expect(Self.rest(of: source).map(\.text) == [blank, b, Self.tick(5), blank, b])
    }
}
