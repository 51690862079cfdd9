import BelfryModel
import Foundation
import GRDB
import Testing

@testable import BelfryStore

/// What a crash, a bad disk and careless copies do to a log.
@Suite struct LogDamageTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("x.db")
    }

    /// Two commits, as a kill leaves them.
    private func left() throws -> (files: [String: Data], log: Data) {
        let store = try SQLiteStore(path: path)
        try store.commit(StoreBatch(records: [change("ana", 1), change("bob", 1)], meta: ["position": [1]]))
        try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: nil), change("eve", 2)]))
        var files: [String: Data] = [:]
        for suffix in ["", "-wal", "-log"] { files[suffix] = try Data(contentsOf: folder.url("x.db" + suffix)) }
        return (files, try #require(files["-log"]))
    }

    private func put(_ files: [String: Data], log: Data?) throws -> String {
        for suffix in ["-wal", "-shm", "-log"] { try? FileManager.default.removeItem(at: folder.url("y.db" + suffix)) }
        for (suffix, bytes) in files where suffix != "-log" { try bytes.write(to: folder.url("y.db" + suffix)) }
        try log?.write(to: folder.url("y.db-log"))
        return folder.path("y.db")
    }

    @Test func `what a kill leaves in the log is there for the next one`() throws {
        let (files, log) = try left()
        let copy = try SQLiteStore(path: put(files, log: log))
        #expect(try copy.subjects(after: nil, limit: 9) == ["bob", "eve"] && copy.record(for: "eve") == [2])
        #expect(try copy.meta("position") == [1] && copy.record(for: "ana") == nil)
    }

    @Test func `a commit that was being written is none, however much of it there is`() throws {
        let (files, log) = try left()
        let second = try #require(log.range(of: log[12..<20], in: 20..<log.count)).lowerBound
        for length in [second, second + 31, second + 32, log.count - 1] + stride(from: second, to: log.count, by: 13) {
            for tail in [Data(), Data(count: log.count - length), Data(repeating: 7, count: 50)] {
                let path = try put(files, log: log[..<length] + tail)
                if length % 2 == 0 { #expect(try SQLiteStore(path: path, readOnly: true).record(for: "ana") == [1]) }
                let store = try SQLiteStore(path: path)
                #expect(try store.records(for: ["ana", "bob", "eve"]) == [[1], [1], nil], "\(length) bytes")
                try store.commit(StoreBatch(records: [change("eve", 3)]))
                store.close()
                #expect(try SQLiteStore(path: path, readOnly: true).record(for: "eve") == [3])
            }
        }
    }

    @Test func `a commit that makes no sense, before another one, is damage, and is left as it is`() throws {
        let (files, log) = try left()
        let second = try #require(log.range(of: log[12..<20], in: 20..<log.count)).lowerBound
        for place in 12..<second {
            var broken = log
            broken[place] ^= 0x10
            let path = try put(files, log: broken)
            let writing = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
            #expect(
                writing?.message == """
                    cannot open store '\(path)'
                      why: its content is damaged: its log makes no sense at byte 12
                      fix: restore the file from a backup, or name another store to begin anew
                    """, "byte \(place)")
            let reader = try SQLiteStore(path: path, readOnly: true)
            #expect(throws: StoreError.self) { try reader.record(for: "ana") }
            #expect(try Data(contentsOf: folder.url("y.db-log")) == broken)
        }
    }

    @Test func `a store without its log is told of, and so is the log of another`() throws {
        let (files, log) = try left()
        for (log, why) in [
            (nil, "is not there, or empty, and has what was committed last"),
            (Data(), "is not there, or empty, and has what was committed last"),
            (log[..<4] + Data(count: 8), "belongs to another store, or to this one at another time"),
        ] as [(Data?, String)] {
            let path = try put(files, log: log)
            let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
            #expect(error?.code == .damaged)
            #expect(
                error?.message.contains("why: '\(path)-log' \(why)\n  fix: put ") == true, "\(error?.message ?? "")")
            let reader = try SQLiteStore(path: path, readOnly: true)
            #expect(throws: StoreError.self) { try reader.record(for: "ana") }
        }
    }

    @Test func `a log that is left of one whose content is in rows is removed`() throws {
        let (_, log) = try left()
        let whole = try SQLiteStore(path: folder.path("z.db"))
        try whole.commit(StoreBatch(records: [change("ana", 5)]))
        whole.close()
        try log.write(to: folder.url("z.db-log"))
        #expect(try SQLiteStore(path: folder.path("z.db"), readOnly: true).record(for: "ana") == [5])
        let again = try SQLiteStore(path: folder.path("z.db"))
        #expect(try again.records(for: ["ana", "bob"]) == [[5], nil])
        #expect(try !folder.contents.contains("z.db-log"))
    }

    // MARK: What was erased

    @Test func `what was erased is in no file any more, in none of its versions`() throws {
        let secret = Data("the secret of ana".utf8)
        let store = try SQLiteStore(path: path)
        for size in 1...50 {
            let bytes = Array(repeating: [UInt8](secret), count: size * 20).flatMap { $0 }
            try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: bytes), change("bob", 1)]))
            if size == 25 { #expect(try store.count() == 2) }
        }
        let log = try FileHandle(forReadingFrom: folder.url("x.db-log"))
        try store.erase("ana")
        // The file has no name any more, and its bytes are where they were.
        let bytes = try #require(try log.readToEnd())
        #expect(bytes.count > 100_000 && bytes.allSatisfy { $0 == 0 })
        store.close()
        let file = try Data(contentsOf: folder.url("x.db"))
        #expect(file.range(of: secret) == nil && file.count > 20_000)
        #expect(try folder.contents == ["x.db"])
        #expect(try SQLiteStore(path: path, readOnly: true).record(for: "bob") == [1])
    }

    @Test func `a log that somebody is reading stays as it is for them`() throws {
        let file = try LogFile.create(at: folder.path("log"))
        try file.append([UInt8](repeating: 7, count: 100), at: LogFile.End())
        let reader = try #require(try LogFile.open(folder.path("log"), readOnly: true))
        reader.hold()
        try file.remove(waits: false)
        #expect(try reader.isRemoved() && reader.read(at: 12, count: 3) == [7, 7, 7])
        reader.release()
        try file.remove(waits: true)
        #expect(try reader.read(at: 12, count: 3) == [0, 0, 0])
    }

    // MARK: Stores of earlier versions

    /// As it lay in the journal: with a timer if `flags` is 1, deleted if it is 2.
    private func entry(_ subject: String, _ record: [UInt8], flags: UInt8, due: Int64) -> [UInt8] {
        var head: [UInt8] = []
        head.append(number: UInt32(subject.utf8.count))
        head.append(number: UInt32(record.count))
        head.append(flags)
        head.append(number: due)
        head += subject.utf8
        var bytes: [UInt8] = []
        bytes.append(number: head.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 })
        return bytes + head + record
    }

    @Test func `the journal of an earlier version becomes rows, and a reader is told to wait for that`() throws {
        let store = try SQLiteStore(path: path)
        try store.commit(StoreBatch(records: [change("ana", 1), change("bob", 1)]))
        store.close()
        let entries = entry("ana", [2], flags: 1, due: 5) + entry("bob", [], flags: 2, due: 0)
        try DatabaseQueue(path: path).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE journal (number INTEGER PRIMARY KEY AUTOINCREMENT, bytes BLOB NOT NULL);
                    PRAGMA user_version = 4
                    """)
            try db.execute(sql: "INSERT INTO journal (bytes) VALUES (?)", arguments: [Data(entries)])
        }
        let reader = try SQLiteStore(path: path, readOnly: true)
        let error = #expect(throws: StoreError.self) { try reader.record(for: "ana") }
        #expect(
            error?.message == """
                cannot read store '\(path)'
                  why: an earlier belfry left records in it that only a writer can make use of
                  fix: open it for writing once: 'belfry state verify --repair'
                """)
        let again = try SQLiteStore(path: path)
        #expect(try again.records(for: ["ana", "bob"]) == [[2], nil])
        #expect(try again.timers().map(\.due.milliseconds) == [5])
        #expect(try reader.record(for: "ana") == [2])
    }

    private func change(_ subject: String, _ byte: UInt8) -> RecordChange {
        RecordChange(subject: subject, bytes: [byte])
    }
}
