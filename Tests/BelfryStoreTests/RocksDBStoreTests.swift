import BelfryModel
import Foundation
import Testing

@testable import BelfryStore

/// What a store in RocksDB does besides the contract of all.
@Suite struct RocksDBStoreTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("x.rocks")
    }

    @Test func `a commit is on the disk when it returns, with all before it that did not wait`() throws {
        let store = try RocksDBStore(path: path)
        try store.commit(change("ana", [1], waits: false))
        // What a crash would leave: the files as they are while the store is open.
        #expect(try copied("before").record(for: "ana") == nil)
        try store.commit(change("ben", [2]))
        let copy = try copied("after")
        #expect(try [copy.record(for: "ana"), copy.record(for: "ben")] == [[1], [2]])
        withExtendedLifetime(store) {}
    }

    @Test func `one may write, and others read what was there when they opened it`() throws {
        let writer = try RocksDBStore(path: path)
        try writer.commit(change("ana", [1]))
        let reader = try RocksDBStore(path: path, readOnly: true)
        try writer.commit(change("ana", [2]))
        #expect(try reader.record(for: "ana") == [1])
        #expect(try RocksDBStore(path: path, readOnly: true).record(for: "ana") == [2])
        let error = #expect(throws: StoreError.self) { try reader.commit(change("ana", [3])) }
        #expect(error?.code == .readOnly)
        let second = #expect(throws: StoreError.self) { try RocksDBStore(path: path) }
        #expect(
            second?.description == """
                cannot open store '\(path)'
                  why: process \(getpid()) is writing to it, and a store has one writer at a time
                  fix: wait until that process has ended, or name another store
                """)
    }

    /// Also former lists of its files name the first and the last key of each.
    @Test(arguments: [true, false])
    func `what is erased is in none of its files`(isAllThereIs: Bool) throws {
        let due: Int64? = isAllThereIs ? 5 : nil
        // The last of all keys, which lists of files name.
        let erased = "~the-erased-one"
        let store = try RocksDBStore(path: path)
        for round in 1...(isAllThereIs ? 3 : 1) {
            for subject in isAllThereIs ? ["aaa", "zzz", erased] : ["zzz", erased] {
                try store.commit(
                    change(subject, Array("\(subject) \(round) secret".utf8), due: subject == erased ? due : 5))
            }
        }
        var rows: [(row: StoreRow.ID, reason: String)] = []
        try store.forEachRow { if $0.subject == erased, isAllThereIs { rows.append(($0.id, "torn")) } }
        try store.quarantine(rows)
        if isAllThereIs { try store.commit(change(erased, Array("once more secret".utf8), due: due)) }
        #expect(try bytes(of: path).contains(erased))
        try store.erase(erased, lastDecision: 7)
        let left = try bytes(of: path)
        #expect(!left.contains(erased) && !left.contains("once more"))
        #expect(left.contains("zzz"))
        #expect(try store.lastDecision(ofErased: erased) == 7)
        #expect(try store.timers().map(\.subject) == (isAllThereIs ? ["aaa", "zzz"] : ["zzz"]))
    }

    @Test func `a damaged file is found, and told`() throws {
        let store = try RocksDBStore(path: path)
        let records = (0..<2000).map {
            RecordChange(subject: "s\($0)", bytes: [UInt8](repeating: UInt8($0 % 251), count: 300))
        }
        try store.commit(StoreBatch(records: records))
        #expect(try store.faults() == [])
        store.close()
        // The largest one has the records.
        let files = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".sst") }
            .map {
                (place: URL(filePath: "\(path)/\($0)"), bytes: try Data(contentsOf: URL(filePath: "\(path)/\($0)")))
            }
        var (place, bytes) = try #require(files.max { $0.bytes.count < $1.bytes.count })
        for index in 1000..<1100 { bytes[index] ^= 0x55 }
        try bytes.write(to: place)
        let damaged = try RocksDBStore(path: path, readOnly: true)
        let faults = try damaged.faults()
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("RocksDB cannot read all of the files: Corruption") == true, "\(faults)")
        let error = #expect(throws: StoreError.self) { try damaged.forEachRow { _ in } }
        #expect(error?.code == .damaged)
    }

    @Test func `what is no store of RocksDB is refused and left as it is`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data("Dear diary".utf8).write(to: URL(filePath: path + "/diary"))
        try expectRefusal(
            .notBelfry,
            """
            cannot open store '\(path)'
              why: the folder has something in it, and is not a database of RocksDB
              fix: name another folder; this one is left as it is
            """)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["diary"])
    }

    @Test func `a file is refused`() throws {
        try Data().write(to: URL(filePath: path))
        try expectRefusal(
            .notBelfry,
            """
            cannot open store '\(path)'
              why: it is a file, and a store of RocksDB is a folder
              fix: name a folder, which need not exist
            """)
    }

    @Test func `a database of another application, and a version to come, are refused`() throws {
        let place = try StorePath(path, isFolder: true)
        var database: RocksDB? = try RocksDB(place, readOnly: false)
        try database?.write { $0.put([1], [2]) }
        try database?.flush()
        database = nil
        let before = try bytes(of: path)
        try expectRefusal(
            .notBelfry,
            """
            cannot open store '\(path)'
              why: it is the database of another application
              fix: name another place; this one is left as it is
            """)
        #expect(try bytes(of: path) == before)
        database = try RocksDB(StorePath(path, isFolder: true), readOnly: false)
        try database?.write { $0.put(Array("f".utf8), [2]) }
        try database?.flush()
        database = nil
        try expectRefusal(
            .newer,
            """
            cannot open store '\(path)'
              why: it has store version 2; this belfry knows versions up to 1
              fix: run the newer belfry that wrote it, or name another store
            """)
    }

    @Test func `reading creates nothing`() throws {
        let error = #expect(throws: StoreError.self) { try RocksDBStore(path: path, readOnly: true) }
        #expect(error?.code == .missing)
        #expect(throws: StoreError.self) { try RocksDBStore(path: path, creates: false) }
        #expect(try folder.contents == [])
    }

    @Test(arguments: [
        ("IO error: No space left on device: While appending to file", StoreError.Code.full),
        ("IO error: While open a file for appending: x: Permission denied", .permission),
        ("Corruption: block checksum mismatch", .damaged), ("IO error: x: Input/output error", .failed),
    ])
    func `what RocksDB reports has a code of ours`(words: String, code: StoreError.Code) {
        #expect(StoreError.rocksDB(words, .writing, "x").code == code)
    }

    @Test func `without the library, it is named`() {
        #expect(
            StoreError.noRocksDB("x", missing: "librocksdb.so").description == """
                cannot open store 'x'
                  why: RocksDB is not installed: there is no 'librocksdb.so'
                  fix: install the package librocksdb-dev, or name a store as sqlite:PATH
                """)
    }

    private func change(_ subject: String, _ bytes: [UInt8], due: Int64? = nil, waits: Bool = true) -> StoreBatch {
        let due = due.map(Instant.init(milliseconds:))
        return StoreBatch(records: [RecordChange(subject: subject, bytes: bytes, nextDue: due)], waits: waits)
    }

    private func copied(_ name: String) throws -> RocksDBStore {
        try FileManager.default.copyItem(atPath: path, toPath: folder.path(name))
        return try RocksDBStore(path: folder.path(name))
    }

    private func bytes(of folder: String) throws -> Data {
        while true {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            do {
                return try names.reduce(into: Data()) { $0 += try Data(contentsOf: URL(filePath: "\(folder)/\($1)")) }
            } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
                // RocksDB has removed a file that it does not need any more: there is another list.
            }
        }
    }

    private func expectRefusal(_ code: StoreError.Code, _ text: String) throws {
        for readOnly in [false, true] {
            let error = #expect(throws: StoreError.self) { try RocksDBStore(path: path, readOnly: readOnly) }
            #expect(error?.code == code)
            #expect(error?.description == text)
        }
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
