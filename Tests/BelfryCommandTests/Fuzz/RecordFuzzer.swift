@testable import BelfryEngine
import BelfryModel
import BelfryStore
import Foundation
import FuzzInput
import Testing

/// Records that are nearly right: most of them sealed again after the change, as no accident would have it.
struct RecordFuzzer {
    private var mutator: Mutator
    private let records: [(subject: String, bytes: [UInt8])]

    init(seed: UInt64, records: [String: [UInt8]]) {
        let tokens = ["ana", "store-14", "offer", "t1", "cooldown", "\u{1}", "\u{0}\u{0}\u{0}\u{0}", "\u{7F}"]
        mutator = Mutator(dice: Dice(seed: seed), tokens: tokens)
        self.records = records.map { (subject: $0.key, bytes: $0.value) }.sorted { $0.subject < $1.subject }
    }

    var isFed: Bool { records.contains { $0.bytes.count > 500 } }

    /// Makes a store of so many records.
    ///
    /// - Returns: how many of them are records still; each of those must survive being written and read again.
    mutating func fill(_ path: String, _ count: Int) throws -> Int {
        let store = try StoreLocation.sqlite(path: path).open()
        defer { store.close() }
        var batch = StoreBatch()
        var good = 0
        for number in 0..<count {
            let subject = "r-\(number)"
            let bytes = try next(of: subject)
            var change = RecordChange(subject: subject, bytes: bytes)
            if let record = try? SubjectRecord(subject: subject, reading: bytes) {
                good += 1
                change.nextDue = record.nextDue
                try expectSame(record)
            }
            batch.records.append(change)
            guard batch.records.count == 1000 || number == count - 1 else { continue }
            try store.commit(batch)
            batch = StoreBatch()
        }
        return good
    }

    private mutating func next(of subject: String) throws -> [UInt8] {
        var bytes = try Self.bytes(mutator.dice.pick(records), of: subject)
        if mutator.dice.happens(0.1) {
            mutator.mutate(&bytes, with: mutator.dice.pick(records).bytes)
            // A later version would be left alone, and is another test.
            if bytes.count > 6 { bytes.replaceSubrange(4..<6, with: [1, 0]) }
            return bytes
        }
        var content = Array(bytes.dropLast(8))
        if mutator.dice.happens(0.7) {
            mutator.flip(&content)
        } else {
            mutator.mutate(&content, with: mutator.dice.pick(records).bytes)
        }
        if content.count > 6 { content.replaceSubrange(4..<6, with: [1, 0]) }
        return Self.sealed(content)
    }

    static func sealed(_ content: [UInt8]) -> [UInt8] {
        content + withUnsafeBytes(of: stableHash(content).littleEndian) { Array($0) }
    }

    /// The record of another subject as if it were this one's.
    private static func bytes(_ other: (subject: String, bytes: [UInt8]), of subject: String) throws -> [UInt8] {
        var record = try SubjectRecord(subject: other.subject, reading: other.bytes)
        Array(subject.utf8).withUnsafeBytes { record.block.replace(.subject, with: $0) }
        return record.stored()
    }

    private func expectSame(_ record: borrowing SubjectRecord) throws {
        let bytes = record.stored()
        let again = try SubjectRecord(subject: record.subject, reading: bytes)
        #expect(again.stored() == bytes)
    }

    /// What happens to the subject of each record afterwards.
    static func signals(_ number: Int) -> [String] {
        let events = [
            #""type":"region.entered","data":{"region":"store-14"}"#, #""type":"app.backgrounded""#,
            #""type":"notification.requested","data":{"campaign":"offer"}"#,
            #""type":"region.exited","data":{"region":"store-14"}"#,
            #""type":"location.updated","data":{"latitude":52.4,"longitude":4.95}"#,
            #""type":"attributes.updated","data":{"scope":"user","values":{"tier":"gold"}}"#,
            #""type":"notification.opened","data":{"notification":"welcome/1"}"#,
        ]
        return [events[number % events.count], events[(number / 7) % events.count]].map {
            #"{"subject":"r-\#(number)","time":"2026-03-09T12:00:00Z",\#($0)}"#
        }
    }

    static let end = #"{"type":"clock.advanced","time":"2026-03-20T00:00:00Z"}"#
}
