import Foundation
import GRDB
import Testing

@testable import BelfryStore

/// What is not opened, and what is said about it.
@Suite struct StoreRefusalTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("x.db")
    }

    @Test(arguments: [false, true])
    func `the database of another application is refused and left as it is`(readOnly: Bool) throws {
        try make("CREATE TABLE songs (title TEXT)")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        try expectRefusal(
            .notBelfry, readOnly: readOnly,
            """
            cannot open store '\(path)'
              why: it is the database of another application
              fix: name another place; this one is left as it is
            """)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try folder.contents == ["x.db"])
    }

    @Test(arguments: [false, true])
    func `a file that is no database is refused and left as it is`(readOnly: Bool) throws {
        let text = Data(String(repeating: "Dear diary, ", count: 200).utf8)
        try text.write(to: URL(fileURLWithPath: path))
        try expectRefusal(
            .notBelfry, readOnly: readOnly,
            """
            cannot open store '\(path)'
              why: the file is not an SQLite database
              fix: name another file; this one is left as it is
            """)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
    }

    @Test(arguments: [false, true])
    func `a store of a version to come is refused`(readOnly: Bool) throws {
        try SQLiteStore(path: path).close()
        try make("PRAGMA user_version = 2")
        try expectRefusal(
            .newer, readOnly: readOnly,
            """
            cannot open store '\(path)'
              why: it has store version 2; this belfry knows versions up to 1
              fix: run the newer belfry that wrote it, or name another store
            """)
    }

    @Test(arguments: [false, true])
    func `a store that lacks a table is refused`(readOnly: Bool) throws {
        try SQLiteStore(path: path).close()
        try make("DROP TABLE meta")
        try expectRefusal(
            .damaged, readOnly: readOnly,
            """
            cannot open store '\(path)'
              why: its content is damaged: its tables are incomplete
              fix: restore it from a backup, or name another store to begin anew
            """)
    }

    @Test func `reading does not create a store`() throws {
        try expectRefusal(
            .missing, readOnly: true,
            """
            cannot open store '\(path)'
              why: there is no such file, and reading does not create it
              fix: check the path; 'belfry run' creates the store
            """)
        #expect(try folder.contents == [])
    }

    @Test func `a store that has to be there is not created`() throws {
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path, creates: false) }
        #expect(error?.code == .missing)
        #expect(try folder.contents == [])
        try Data().write(to: URL(fileURLWithPath: path))
        let emptiness = #expect(throws: StoreError.self) { try SQLiteStore(path: path, creates: false) }
        #expect(emptiness?.description.contains("it is empty: nothing was ever committed to it") == true)
        #expect(try folder.contents == ["x.db"])
        try SQLiteStore(path: path).close()
        try SQLiteStore(path: path, creates: false).close()
    }

    @Test func `reading an empty file finds nothing to read, writing fills it`() throws {
        try Data().write(to: URL(fileURLWithPath: path))
        try expectRefusal(
            .missing, readOnly: true,
            """
            cannot open store '\(path)'
              why: it is empty: nothing was ever committed to it
              fix: check the path; 'belfry run' fills the store
            """)
        try SQLiteStore(path: path).close()
        try SQLiteStore(path: path, readOnly: true).close()
    }

    @Test(arguments: [false, true])
    func `a folder that does not exist is named`(readOnly: Bool) throws {
        let store = folder.path("no/x.db")
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: store, readOnly: readOnly) }
        #expect(error?.code == .missing)
        if !readOnly {
            #expect(
                error?.description == """
                    cannot open store '\(store)'
                      why: there is no folder '\(folder.path("no"))'
                      fix: create the folder, or check the path
                    """)
        }
    }

    @Test func `a folder is no store`() throws {
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: folder.path) }
        #expect(error?.code == .notBelfry)
        #expect(
            error?.description == """
                cannot open store '\(folder.path)'
                  why: it is a folder
                  fix: name a file in it, as '\(folder.path)/belfry.db'
                """)
    }

    @Test func `a folder that this user may not write to is refused`() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        let error = #expect(throws: StoreError.self) { try asNobody { try SQLiteStore(path: path) } }
        #expect(error?.code == .permission)
        #expect(
            error?.description == """
                cannot open store '\(path)'
                  why: the system refuses access to '\(path).lock': Permission denied
                  fix: give this user write access to the file and its folder, or name a store elsewhere
                """)
    }

    @Test func `a reader that may not write beside the store is told that it must`() throws {
        try SQLiteStore(path: path).close()
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        let error = #expect(throws: StoreError.self) {
            try asNobody { try SQLiteStore(path: path, readOnly: true) }
        }
        #expect(error?.code == .permission)
        #expect(
            error?.description == """
                cannot open store '\(path)'
                  why: SQLite may not write to it or to its '-wal' and '-shm' files, which reading needs too: \
                attempt to write a readonly database
                  fix: give this user write access to the file and its folder, or work on a copy elsewhere
                """)
    }

    @Test(arguments: [
        (ResultCode.SQLITE_BUSY, StoreError.Code.locked), (.SQLITE_FULL, .full), (.SQLITE_IOERR_FSYNC, .failed),
        (.SQLITE_CORRUPT, .damaged), (.SQLITE_READONLY, .permission), (.SQLITE_CANTOPEN, .permission),
        (.SQLITE_NOTADB, .notBelfry),
    ])
    func `what SQLite reports has a code of ours`(reported: ResultCode, code: StoreError.Code) {
        let error = StoreError.database(DatabaseError(resultCode: reported.primaryResultCode), .writing, "x.db")
        #expect(error.code == code)
        #expect(error.path == "x.db")
    }

    @Test func `a full disk is called by its name`() {
        let error = StoreError.database(DatabaseError(resultCode: .SQLITE_FULL), .writing, "x.db")
        #expect(
            error.description == """
                cannot write to store 'x.db'
                  why: there is no room left on its disk
                  fix: free some space, and start a run again; a service goes on by itself. Everything committed before is kept
                """)
    }

    private func make(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    private func expectRefusal(_ code: StoreError.Code, readOnly: Bool, _ text: String) throws {
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path, readOnly: readOnly) }
        #expect(error?.code == code)
        #expect(error?.description == text)
    }

    /// Runs `body` without the rights over files that root has; permissions mean nothing to root.
    private func asNobody<Result>(_ body: () throws -> Result) throws -> Result {
        typealias SetUser = @convention(c) (uid_t) -> CInt
        // Of this thread alone, unlike `seteuid`. The header that has it is not part of the imported C library.
        let setUser = unsafeBitCast(try #require(dlsym(nil, "setfsuid")), to: SetUser.self)
        guard geteuid() == 0 else { return try body() }
        _ = setUser(65_534)
        defer { _ = setUser(0) }
        return try body()
    }
}
