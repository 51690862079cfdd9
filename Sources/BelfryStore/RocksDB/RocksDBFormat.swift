import BelfryModel
import Foundation

/// How a store lies in its folder: the format, version 1.
///
/// Keys begin with a byte that tells what they are of. Numbers are little-endian.
///
/// | key | value |
/// |---|---|
/// | `f` | the version of this format, a byte |
/// | `r` subject | of its record: the last entry of the journal that it has come to (8 bytes), when its earliest timer is due, in ms since 1970, the least number without one (8 bytes), and the record |
/// | `t` subject | when its earliest timer is due (8 bytes), for those that have one |
/// | `m` name | a value about the store |
/// | `q` length of the subject, subject, number | a record in quarantine: the length of the reason, the reason, the record; lengths and the number have 4 bytes, in keys big-endian |
/// | `e` digest of the subject | the number of the last decision of a subject that was erased (8 bytes) |
enum RocksDBFormat {
    private static let version: UInt8 = 1
    private static let key = [UInt8(ascii: "f")]

    /// Whether there is none yet, and one can be made. Throws if something else is there.
    static func isNew(_ place: StorePath) throws(StoreError) -> Bool {
        if !place.exists || access(place.absolute + "/CURRENT", F_OK) == 0 { return !place.exists }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.absolute)) ?? []
        guard names.allSatisfy(isOfBeginning) else { throw .notRocksDB(place.shown) }
        return true
    }

    /// Whether a file is there when a database is made, and is killed before it is one.
    private static func isOfBeginning(_ name: String) -> Bool {
        ["LOCK", "IDENTITY"].contains(name) || name.hasPrefix("LOG") || name.hasPrefix("MANIFEST-")
            || name.hasSuffix(".dbtmp")
    }

    /// Makes a store of a database that is empty; one that is a store already stays as it is.
    static func begin(_ database: RocksDB) throws(StoreError) {
        if try database.value(of: key) != nil { return }
        try database.write { $0.put(key, [version]) }
        try database.flush()
    }

    static func check(_ database: RocksDB, _ path: String, mayBeEmpty: Bool) throws(StoreError) {
        if let found = try database.value(of: key)?.first {
            if found > version { throw .newer(path, found: Int(found), known: Int(version)) }
            return
        }
        var isEmpty = true
        try database.forEach(from: []) { _, _ in
            isEmpty = false
            return false
        }
        guard isEmpty else { throw .foreign(path) }
        // The one who made it was killed before it had come to more.
        guard mayBeEmpty else { throw .nothingYet(path) }
    }
}

/// What a key is of.
enum RocksDBKey {
    static let records = UInt8(ascii: "r")
    static let timers = UInt8(ascii: "t")
    static let metas = UInt8(ascii: "m")
    static let quarantine = UInt8(ascii: "q")
    static let erased = UInt8(ascii: "e")

    static func subject(of key: UnsafeRawBufferPointer) -> String { String(decoding: key.dropFirst(), as: UTF8.self) }
}

extension [UInt8] {
    static func record(_ subject: String) -> [UInt8] { [RocksDBKey.records] + subject.utf8 }
    static func timer(_ subject: String) -> [UInt8] { [RocksDBKey.timers] + subject.utf8 }
    static func meta(_ name: String) -> [UInt8] { [RocksDBKey.metas] + name.utf8 }
    /// What the keys of all that a subject has in quarantine begin with.
    static func quarantine(_ subject: String) -> [UInt8] {
        [RocksDBKey.quarantine] + UInt32(subject.utf8.count).bigEndian.bytes + subject.utf8
    }
    static func quarantine(_ subject: String, _ number: Int) -> [UInt8] {
        quarantine(subject) + UInt32(number).bigEndian.bytes
    }
    static func erased(_ subject: String) -> [UInt8] { [RocksDBKey.erased] + SubjectDigest(subject).bytes }
}

/// The value of a record's key.
struct StoredRow {
    let entry: UInt64
    let nextDue: Instant?
    let bytes: [UInt8]
    private static let noTimer = Int64.min
    private static let head = 16

    /// Nil for a deletion.
    init?(_ change: RecordChange) {
        guard let bytes = change.bytes else { return nil }
        (entry, nextDue, self.bytes) = (change.entry, change.nextDue, bytes)
    }

    init(_ stored: [UInt8]) { self = stored.withUnsafeBytes { StoredRow($0) } }

    init(_ stored: UnsafeRawBufferPointer) {
        guard stored.count >= Self.head else {
            (entry, nextDue, bytes) = (0, nil, [])
            return
        }
        entry = Self.entry(of: stored)
        let due = stored.loadUnaligned(fromByteOffset: 8, as: Int64.self)
        nextDue = due == Self.noTimer ? nil : Instant(milliseconds: due)
        bytes = [UInt8](stored[Self.head...])
    }

    static func entry(of stored: UnsafeRawBufferPointer) -> UInt64 {
        stored.count < head ? 0 : stored.loadUnaligned(as: UInt64.self)
    }

    var stored: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.head + bytes.count) { place, count in
            let raw = UnsafeMutableRawBufferPointer(place)
            raw.storeBytes(of: entry, as: UInt64.self)
            raw.storeBytes(of: nextDue?.milliseconds ?? Self.noTimer, toByteOffset: 8, as: Int64.self)
            _ = UnsafeMutableRawBufferPointer(rebasing: raw[Self.head...]).initializeMemory(as: UInt8.self, from: bytes)
            count = Self.head + bytes.count
        }
    }
}

extension FixedWidthInteger {
    var bytes: [UInt8] { withUnsafeBytes(of: self) { [UInt8]($0) } }
}
