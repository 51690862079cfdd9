import BelfryModel
import Foundation
import Testing

@testable import BelfryJournal

@Suite struct JournalTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-journal-\(UUID().uuidString)")
    private var path: String { folder.path }

    private func journal(store: String = "shop", checkpoint: UInt64 = 0) throws -> Journal {
        try Journal(.folder(path), store: store, checkpoint: checkpoint, segmentSize: 200)
    }

    private func entry(_ text: String, values: [String: [UInt8]] = [:]) -> JournalEntry {
        var entry = JournalEntry(decisions: 2, writtenAt: Instant(milliseconds: 7))
        entry[.lines] = Array(text.utf8)
        entry.values = values
        return entry
    }

    private func segments() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    @Test func `entries are read in their order, over segments and after it is opened again`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let written = (1...20).map { "decision \($0)" }
        var first: Journal? = try journal()
        for text in written.prefix(10) { try first!.append(entry(text, values: ["last": Array(text.utf8)])) }
        first = nil
        let second = try journal()
        #expect(second.value("last") == Array("decision 10".utf8))
        for text in written.suffix(10) { try second.append(entry(text)) }
        #expect(try segments().count > 3)
        #expect(try second.reader(after: 0).texts() == written)
        let reader = try second.reader(after: 0)
        var numbers: [UInt64] = []
        while let entry = try reader.next() {
            #expect(entry.number == (numbers.last ?? 0) + 1)
            numbers.append(entry.number)
        }
        #expect(numbers.last == second.last)
    }

    @Test func `lines that repeat themselves take less than half of their room`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try Journal(.folder(path), store: "shop", checkpoint: 0)
        let lines = (1...1000).map { #"{"id":"u\#($0):1","subject":"u\#($0)","type":"notification.suppressed"}"# }
        let noise = (0..<4000).map { UInt8(truncatingIfNeeded: stableHash("\($0)")) }
        for text in [[], Array(lines.joined(separator: "\n").utf8), noise, [7]] {
            var entry = JournalEntry(writtenAt: Instant(milliseconds: 7))
            (entry[.lines], entry[.changes]) = (text, text)
            let before = try segments().reduce(0) { try $0 + size(of: $1) }
            try journal.append(entry)
            journal.close()
            let room = try segments().reduce(0) { try $0 + size(of: $1) } - before
            if text == noise { #expect(room < 2 * noise.count + 200) }
            if text.count > 50_000 { #expect(room < text.count / 2) }
            let reader = try journal.reader(after: journal.last - 1)
            let read = try reader.next()
            #expect(read?[.lines] == text && read?[.changes] == text)
        }
    }

    @Test func `what has a right checksum and makes no sense is told of, and not cut off`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        do { try journal().append(entry("a")) }
        let name = try #require(try segments().first)
        let file = folder.appending(path: name)
        let bytes = try Data(contentsOf: file)
        // A value is announced that is not there.
        var content = [UInt8](repeating: 0, count: 40)
        content[28] = 200
        var frame = GrowingBuffer()
        frame.append(fixed: JournalEntry.magic)
        frame.append(fixed: UInt32(content.count))
        frame.append(fixed: content.withUnsafeBytes { stableHash($0) })
        frame.append(content)
        try (bytes + Data(frame.bytes)).write(to: file)
        let error = #expect(throws: JournalError.self) { try journal() }
        #expect("\(try #require(error))".contains("'\(name)' is damaged at byte \(bytes.count)"))
        #expect(try Data(contentsOf: file).count == bytes.count + frame.count)
    }

    @Test func `entries that are added together have their numbers, and are durable`() throws {
        let journal = try Journal(.memory, store: "shop", checkpoint: 0, segmentSize: 200)
        try journal.append(entry("a"))
        let numbers = try journal.append([entry("b"), entry("c"), entry("d")])
        #expect(numbers.count == 3 && numbers.last == journal.last && journal.durable == journal.last)
        #expect(try numbers.map { try journal.reader(after: $0 - 1).texts().first } == ["b", "c", "d"])
    }

    private func size(of segment: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: folder.path + "/" + segment)[.size] as? Int)
    }

    @Test func `a reader goes on where the writer does, and begins where it is told`() throws {
        let journal = try Journal(.memory, store: "shop", checkpoint: 0, segmentSize: 200)
        try journal.append(entry("a"))
        let (reader, last) = (try journal.reader(after: 0), journal.last)
        #expect(try reader.texts() == ["a"])
        #expect(try reader.next() == nil)
        for text in ["b", "c", "d", "e"] { try journal.append(entry(text)) }
        #expect(try reader.texts() == ["b", "c", "d", "e"])
        #expect(try journal.reader(after: last).texts() == ["b", "c", "d", "e"])
        #expect(try journal.reader(after: journal.last).texts() == [])
    }

    /// The reader does not read the entries before: `explain` would read up to 64 MiB of them each time.
    @Test func `a reader that begins far behind the beginning of a segment has all that holds there`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try Journal(.folder(path), store: "shop", checkpoint: 0)
        let noise = (0..<3000).map { UInt8(truncatingIfNeeded: stableHash("\($0)")) }
        for number in 1...200 {
            var entry = entry("\(number)", values: number == 3 ? ["third": [3]] : ["last": Array("\(number)".utf8)])
            entry[.signals] = noise
            try journal.append(entry)
        }
        for number in stride(from: 1, through: journal.last, by: 7) {
            let (reader, scanner) = (try journal.reader(after: number), try JournalReader(.folder(path), after: number))
            #expect(reader.last == number && reader.values == scanner.values)
            #expect(try reader.next() == scanner.next())
        }
        try journal.rewrite { entry in
            entry[.signals] = []
            return true
        }
        #expect(try journal.reader(after: 150).next()?.number == 151)
        try journal.append(entry("more"))
        #expect(try journal.reader(after: journal.last - 1).texts() == ["more"])
        // The first entry is damaged: a reader that begins with it stops there.
        for _ in 1...200 { try journal.append(entry(String(repeating: "x", count: 2000))) }
        let segment = try FileHandle(forUpdating: folder.appending(path: try segments()[0]))
        try segment.seek(toOffset: 40)
        try segment.write(contentsOf: [0x55, 0x55])
        #expect(try journal.reader(after: journal.last - 1).next()?.number == journal.last)
        #expect(try JournalReader(.folder(path), after: journal.last - 1).last == 0)
    }

    @Test func `what is torn off at any byte is cut off, and what was whole before stays`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Journal(.folder(path), store: "shop", checkpoint: 0).append(entry("first"))
        let file = folder.appending(path: try segments()[0])
        let whole = try Data(contentsOf: file)
        try Journal(.folder(path), store: "shop", checkpoint: 0).append(entry("second"))
        let both = try Data(contentsOf: file)
        for length in whole.count..<both.count {
            try both.prefix(length).write(to: file)
            let journal = try Journal(.folder(path), store: "shop", checkpoint: 0)
            #expect(try journal.reader(after: 0).texts() == ["first"])
            try journal.append(entry("other"))
            #expect(try JournalReader(.folder(path)).texts() == ["first", "other"])
        }
    }

    @Test func `a byte that changed is found, wherever it is`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try Journal(.folder(path), store: "shop", checkpoint: 0)
        for text in ["first", "second", "third"] { try journal.append(entry(text)) }
        let file = folder.appending(path: try segments()[0])
        let bytes = try Data(contentsOf: file)
        let third = try #require(bytes.range(of: Data("third".utf8))).lowerBound
        for place in stride(from: 0, to: third - 100, by: 5) {
            var other = bytes
            other[place] ^= 4
            try other.write(to: file)
            #expect(throws: JournalError.self, "byte \(place)") {
                try Journal(.folder(path), store: "shop", checkpoint: 0)
            }
            #expect(throws: JournalError.self, "byte \(place)") { try JournalReader(.folder(path)).texts() }
        }
    }

    @Test func `segments go when nobody needs them, and a reader of what is gone is told`() throws {
        let journal = try Journal(.memory, store: "shop", checkpoint: 0, segmentSize: 200)
        for number in 1...20 { try journal.append(entry("\(number)")) }
        journal.drop(through: 9)
        let kept = try journal.reader(after: 0).texts()
        #expect(kept.last == "20" && kept.count < 20 && kept.count >= 11 - 9)
        #expect(throws: JournalError.self) { try journal.reader(after: 1) }
        journal.drop(through: .max)
        #expect(try journal.reader(after: journal.last).texts() == [])
    }

    @Test func `a segment in the middle that is missing is missed`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try journal()
        for number in 1...20 { try journal.append(entry("\(number)")) }
        try FileManager.default.removeItem(at: folder.appending(path: segments()[1]))
        let error = #expect(throws: JournalError.self) { _ = try JournalReader(.folder(path)).texts() }
        #expect(error?.reason.hasPrefix("what comes after entry ") == true)
    }

    @Test func `a segment that finds no room for its beginning is no segment`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try journal()
        var number = 0
        while try segments().count < 2 {
            number += 1
            try journal.append(entry("\(number)"))
        }
        // Where the third one will be there is no room.
        var failures = 0
        for _ in 1...40 where failures == 0 {
            let name = JournalSegment.name(journal.last + 1)
            try FileManager.default.createSymbolicLink(
                atPath: "\(path)/\(name)", withDestinationPath: "/dev/full")
            number += 1
            do { try journal.append(entry("\(number)")) } catch {
                failures += 1
                number -= 1
            }
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
        #expect(failures == 1)
        number += 1
        try journal.append(entry("\(number)"))
        journal.close()
        let again = try self.journal()
        #expect(try again.reader().texts() == (1...number).map { "\($0)" })
    }

    @Test func `a journal whose beginning is gone is told of, also if the store has come to no entry`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try journal()
        for number in 1...20 { try journal.append(entry("\(number)")) }
        journal.drop(through: 9)
        journal.close()
        let error = #expect(throws: JournalError.self) { try self.journal() }
        #expect(error?.reason == "what comes after entry 0 is missing")
        _ = try self.journal(checkpoint: 9)
    }

    @Test func `a journal that ends before the checkpoint is told of`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try journal().append(entry("first"))
        let error = #expect(throws: JournalError.self) { try journal(checkpoint: 9) }
        #expect(error?.reason == "it ends with entry 2, and the store has come to entry 9")
    }

    @Test func `nothing is written anew over damage, and what a killed rewrite left goes`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try Journal(.folder(path), store: "shop", checkpoint: 0)
        for text in ["first", "second", "third"] { try journal.append(entry(text)) }
        let file = folder.appending(path: try segments()[0])
        var bytes = try Data(contentsOf: file)
        bytes[try #require(bytes.range(of: Data("second".utf8))).lowerBound] ^= 1
        try bytes.write(to: file)
        #expect(throws: JournalError.self) { try journal.rewrite { _ in true } }
        #expect(try Data(contentsOf: file) == bytes)
        try Data("somebody".utf8).write(to: folder.appending(path: "00000000000000000001.segment.new"))
        #expect(throws: JournalError.self) { try Journal(.folder(path), store: "shop", checkpoint: 0) }
        #expect(try segments().count == 1)
    }

    @Test func `entries can be written anew, and keep their numbers`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try journal()
        for number in 1...20 { try journal.append(entry("\(number) of ana")) }
        try journal.rewrite { entry in
            guard entry[.lines] == Array("7 of ana".utf8) else { return false }
            entry[.lines] = Array("7".utf8)
            return true
        }
        try journal.append(entry("more"))
        let texts = try JournalReader(.folder(path)).texts()
        #expect(texts == (1...6).map { "\($0) of ana" } + ["7"] + (8...20).map { "\($0) of ana" } + ["more"])
    }

    @Test func `a reader begins behind the first entries of a segment, too, where it is told`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try Journal(.folder(path), store: "shop", checkpoint: 0, segmentSize: 100_000)
        let noise = (0..<3000).map { UInt8(truncatingIfNeeded: stableHash("\($0)")) }
        for number in 1...80 {
            var entry = entry("\(number)", values: ["last": Array("\(number)".utf8)])
            entry[.signals] = noise
            try journal.append(entry)
            let (reader, scanner) = (
                try journal.reader(after: journal.last), try JournalReader(.folder(path), after: journal.last)
            )
            #expect(reader.last == journal.last && reader.values == scanner.values)
        }
        #expect(try segments().count > 2)
    }

    @Test func `a place that was found before a segment was written anew is good after it`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try Journal(.folder(path), store: "shop", checkpoint: 0)
        let noise = (0..<3000).map { UInt8(truncatingIfNeeded: stableHash("\($0)")) }
        for number in 1...100 {
            var entry = entry("\(number)")
            entry[.signals] = noise
            try journal.append(entry)
        }
        let start = try #require(journal.start(before: 60))
        #expect(start.mark.offset > 0)
        try journal.rewrite { entry in
            entry[.signals] = []
            return true
        }
        let reader = try JournalReader(JournalLocation.folder(path).storage, after: 60, of: journal, from: start)
        #expect(reader.last == 60)
        var numbers: [UInt64] = []
        while let entry = try reader.next() { numbers.append(entry.number) }
        #expect(numbers == Array(61...journal.last))
    }

    /// What a sync that failed was for may be in the memory of the system only, which takes it for written.
    @Test func `the entries that were written last are written once more when the journal is opened`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let texts = (1...30).map { "decision \($0)" }
        do {
            let journal = try Journal(.folder(path), store: "shop", checkpoint: 0)
            try journal.append(entry(texts[0]))
            _ = try journal.append(texts.dropFirst().map { entry($0) })
            journal.close()
        }
        let file = folder.appending(path: try segments()[0])
        let bytes = try Data(contentsOf: file)
        let before = Date(timeIntervalSince1970: 1_000_000)
        try FileManager.default.setAttributes([.modificationDate: before], ofItemAtPath: file.path)
        let journal = try Journal(.folder(path), store: "shop", checkpoint: 0)
        let after = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
        #expect(after.map { $0 > before } == true)
        #expect(try Data(contentsOf: file) == bytes && journal.reader().texts() == texts)
        #expect(try journal.append(entry("more")) == journal.last)
    }

    @Test func `small entries go where the file has zeros already, of which nothing stays`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try Journal(.folder(path), store: "shop", checkpoint: 0)
        let texts = (1...300).map { "decision \($0) " + String(repeating: "x", count: 100) }
        for text in texts { try journal.append(entry(text)) }
        let file = folder.appending(path: try segments()[0])
        let open = try Data(contentsOf: file)
        #expect(open.suffix(16).allSatisfy { $0 == 0 })
        #expect(try JournalReader(.folder(path)).texts() == texts)
        journal.close()
        let closed = try Data(contentsOf: file)
        #expect(closed.count < open.count && open.starts(with: closed) && !closed.suffix(100).allSatisfy { $0 == 0 })
        // As a kill leaves it.
        try open.write(to: file)
        let next = try Journal(.folder(path), store: "shop", checkpoint: 0)
        #expect(try Data(contentsOf: file) == closed)
        try next.append(entry("more"))
        #expect(try next.reader().texts() == texts + ["more"])
        // A large one finds none, and none come behind it.
        let noise = (0..<5000).map { UInt8(truncatingIfNeeded: stableHash("\($0)")) }
        var large = JournalEntry(writtenAt: Instant(milliseconds: 7))
        large[.signals] = (0..<8).flatMap { number in noise.map { $0 &+ UInt8(number) } }
        for _ in 1...10 { try next.append(large) }
        #expect(try !Data(contentsOf: file).suffix(100).allSatisfy { $0 == 0 })
    }

    @Test(arguments: [true, false])
    func `a reader goes on in a segment that was written anew, also when others followed`(isOwn: Bool) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try journal()
        try journal.append(entry("a"))
        let reader = try isOwn ? journal.reader() : JournalReader(.folder(path))
        #expect(try reader.texts() == ["a"])
        try journal.rewrite { entry in
            if !entry[.lines].isEmpty { entry[.lines] = Array("-".utf8) }
            return true
        }
        for text in ["b", "c", "d", "e"] { try journal.append(entry(text)) }
        #expect(try segments().count > 1)
        #expect(try reader.texts() == ["b", "c", "d", "e"])
    }

    @Test(arguments: [true, false])
    func `a reader gives nothing that was erased, also in the middle of a segment`(isInMemory: Bool) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try Journal(isInMemory ? .memory : .folder(path), store: "shop", checkpoint: 0)
        for text in ["a", "b", "c"] { try journal.append(entry(text)) }
        let reader = try journal.reader()
        while try reader.next()?[.lines] != Array("a".utf8) {}
        for text in ["a", "b"] {
            try journal.rewrite { entry in
                if entry[.lines] != Array(text.utf8) { return false }
                entry[.lines] = Array("-".utf8)
                return true
            }
        }
        try journal.append(entry("d"))
        #expect(journal.rewrites > 0)
        #expect(try reader.texts() == ["-", "c", "d"])
    }

    @Test func `a reader knows when what comes next is not kept any more`() throws {
        let journal = try Journal(.memory, store: "shop", checkpoint: 0, segmentSize: 200)
        try journal.append(entry("a"))
        let reader = try journal.reader()
        #expect(try reader.texts() == ["a"] && !reader.hasLost)
        for text in ["b", "c", "d", "e"] { try journal.append(entry(text)) }
        #expect(!reader.hasLost)
        journal.drop(through: journal.last)
        #expect(reader.hasLost && journal.oldest > reader.last + 1)
        #expect(throws: JournalError.self) { try reader.next() }
        // Who looked for it made no segment of it.
        #expect(try journal.reader().next() != nil)
    }

    /// A power loss may leave the second of two entries that one sync was for.
    @Test func `what several entries leave that were not durable is cut off, and what was durable is missed`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for areTogether in [true, false] {
            try? FileManager.default.removeItem(at: folder)
            let journal = try Journal(.folder(path), store: "shop", checkpoint: 0)
            try journal.append(entry("a"))
            let file = folder.appending(path: try segments()[0])
            let start = try Data(contentsOf: file).count
            if areTogether {
                _ = try journal.append([entry("b"), entry("c")])
            } else {
                for text in ["b", "c"] { try journal.append(entry(text)) }
            }
            var bytes = try Data(contentsOf: file)
            for place in start..<start + 64 { bytes[place] = 0 }
            try bytes.write(to: file)
            if areTogether {
                let next = try Journal(.folder(path), store: "shop", checkpoint: 0)
                #expect(try next.reader().texts() == ["a"])
                try next.append(entry("d"))
                #expect(try next.reader().texts() == ["a", "d"])
            } else {
                #expect(throws: JournalError.self) { try Journal(.folder(path), store: "shop", checkpoint: 0) }
                #expect(throws: JournalError.self) { try JournalReader(.folder(path)).texts() }
            }
        }
    }
}
