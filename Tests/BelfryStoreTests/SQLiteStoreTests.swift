import Foundation
import GRDB
import Testing

@testable import BelfryStore

@Suite struct SQLiteStoreTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("x.db")
    }

    @Test func `a commit is on the disk when it returns`() throws {
        let store = try SQLiteStore(path: path)
        try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: [1])]))
        // What a crash would leave: the files as they are now, with nothing closed.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.path("copy.db") + suffix)
        }
        let copy = try SQLiteStore(path: folder.path("copy.db"))
        #expect(try copy.record(for: "ana") == [1])
        withExtendedLifetime(store) {}
    }

    @Test func `a commit waits for the disk, in WAL mode, unless it is said not to`() throws {
        let store = try SQLiteStore(path: path)
        for (waits, synchronous) in [(true, 2), (false, 1), (true, 2)] {
            let change = RecordChange(subject: "ana", bytes: [1])
            try store.commit(StoreBatch(records: [change], waits: waits))
            let found = try store.database.writeWithoutTransaction {
                try (Int.fetchOne($0, sql: "PRAGMA synchronous"), String.fetchOne($0, sql: "PRAGMA journal_mode"))
            }
            #expect(found == (synchronous, "wal"))
        }
    }

    @Test func `closing leaves one file`() throws {
        let store = try SQLiteStore(path: path)
        try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: [1])]))
        #expect(try store.record(for: "ana") == [1])
        store.close()
        #expect(try folder.contents == ["x.db"])
    }

    @Test func `a name that SQLite would take for a database in memory is a file`() throws {
        try SQLiteStore(path: folder.path(":memory:")).close()
        #expect(try folder.contents == [":memory:"])
    }
}

/// One writer, any number of readers.
@Suite struct SQLiteStoreSharingTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("x.db")
    }

    @Test func `a second writer is refused, and told who the first one is`() throws {
        let first = try SQLiteStore(path: path)
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
        #expect(error?.code == .locked)
        #expect(
            error?.description == """
                cannot open store '\(path)'
                  why: process \(getpid()) is writing to it, and a store has one writer at a time
                  fix: wait until that process has ended, or name another store
                """)
        try first.commit(StoreBatch(meta: ["position": [1]]))
    }

    @Test func `a second writer is refused by another name of the file too`() throws {
        let first = try SQLiteStore(path: path)
        try FileManager.default.createSymbolicLink(atPath: folder.path("y.db"), withDestinationPath: path)
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: folder.path("y.db")) }
        #expect(error?.code == .locked)
        withExtendedLifetime(first) {}
    }

    /// The second link is relative to its own folder, and there is no file before the first writer makes it.
    @Test func `a second writer is refused when the first one came by links to no file yet`() throws {
        let files = FileManager.default
        for name in ["links", "data"] {
            try files.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        try files.createSymbolicLink(atPath: path, withDestinationPath: "links/y.db")
        try files.createSymbolicLink(atPath: folder.path("links/y.db"), withDestinationPath: "../data/z.db")
        let journal = StoreLocation.sqlite(path: path).journalPath
        let first = try SQLiteStore(path: path)
        for name in ["x.db", "links/y.db", "data/z.db"] {
            let error = #expect(throws: StoreError.self) { try SQLiteStore(path: folder.path(name)) }
            #expect(error?.code == .locked)
        }
        #expect(journal?.hasSuffix("/data/z.db.journal") == true)
        #expect(StoreLocation.sqlite(path: path).journalPath == journal)
        first.close()
        #expect(try folder.contents == ["data", "links", "x.db"])
        #expect(try files.contentsOfDirectory(atPath: folder.path("data")) == ["z.db"])
    }

    @Test func `links that lead in a circle, or to no folder, are refused, and make no file`() throws {
        let files = FileManager.default
        try files.createSymbolicLink(atPath: path, withDestinationPath: "y.db")
        try files.createSymbolicLink(atPath: folder.path("y.db"), withDestinationPath: "x.db")
        try files.createSymbolicLink(atPath: folder.path("z.db"), withDestinationPath: "none/z.db")
        for (name, code) in [("x.db", StoreError.Code.permission), ("z.db", .missing)] {
            let error = #expect(throws: StoreError.self) { try SQLiteStore(path: folder.path(name)) }
            #expect(error?.code == code)
        }
        #expect(try folder.contents == ["x.db", "y.db", "z.db"])
    }

    @Test func `the next writer is welcome when the first one has closed`() throws {
        let first = try SQLiteStore(path: path)
        first.close()
        try SQLiteStore(path: path).close()
    }

    @Test func `a lock file that a crash left behind locks nobody out`() throws {
        try Data("4711\n".utf8).write(to: URL(fileURLWithPath: path + ".lock"))
        try SQLiteStore(path: path).close()
    }

    @Test func `a reader sees what the writer has committed, and nothing else`() throws {
        let writer = try SQLiteStore(path: path)
        let reader = try SQLiteStore(path: path, readOnly: true)
        #expect(try reader.record(for: "ana") == nil)
        try writer.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: [1])]))
        #expect(try reader.record(for: "ana") == [1])
        writer.close()
        #expect(try reader.record(for: "ana") == [1])
    }

    @Test func `a reader cannot commit`() throws {
        try SQLiteStore(path: path).close()
        let reader = try SQLiteStore(path: path, readOnly: true)
        let error = #expect(throws: StoreError.self) { try reader.commit(StoreBatch()) }
        #expect(error?.code == .readOnly)
        #expect(
            error?.description == """
                cannot write to store '\(path)'
                  why: it was opened for reading only
                  fix: open it for writing, which 'belfry run' does
                """)
    }

    @Test func `a reader does not keep a writer out`() throws {
        try SQLiteStore(path: path).close()
        let reader = try SQLiteStore(path: path, readOnly: true)
        let writer = try SQLiteStore(path: path)
        try writer.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: [1])]))
        #expect(try reader.record(for: "ana") == [1])
    }
}
