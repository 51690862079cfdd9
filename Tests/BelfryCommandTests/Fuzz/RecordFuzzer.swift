import BelfryEngine
import BelfryHost
import BelfryModel
import BelfryStore
import Foundation
import FuzzInput
import Testing

/// Records that are nearly right: most of them sealed again after the change, as no accident would have it.
struct RecordFuzzer {
    private var mutator: Mutator
    private let records: [[UInt8]]

    init(seed: UInt64, records: [[UInt8]]) {
        let tokens = ["ana", "store-14", "offer", "t1", "cooldown", "\u{1}", "\u{0}\u{0}\u{0}\u{0}", "\u{7F}"]
        mutator = Mutator(dice: Dice(seed: seed), tokens: tokens)
        self.records = records.sorted { $0.lexicographicallyPrecedes($1) }
    }

    var isFed: Bool { records.contains { $0.count > 500 } }

    /// Makes a store of so many records.
    ///
    /// - Returns: how many of them are records still; each of those must survive being written and read again.
    mutating func fill(_ path: String, _ count: Int) throws -> Int {
        let store = try StoreLocation.sqlite(path: path).open()
        defer { store.close() }
        var batch = StoreBatch()
        var good = 0
        for number in 0..<count {
            let (subject, bytes) = ("r-\(number)", try next())
            var change = RecordChange(subject: subject, bytes: bytes)
            if let record = try? SubjectRecord(subject: subject, decoding: bytes) {
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

    private mutating func next() throws -> [UInt8] {
        var bytes = mutator.dice.pick(records)
        if mutator.dice.happens(0.1) {
            mutator.mutate(&bytes, with: mutator.dice.pick(records))
            // A later version would be left alone, and is somebody else's test.
            if bytes.count > 6 { bytes.replaceSubrange(4..<6, with: [5, 0]) }
            return bytes
        }
        var content = Array(try Seal.record.open(bytes).content)
        if mutator.dice.happens(0.7) {
            mutator.flip(&content)
        } else {
            mutator.mutate(&content, with: mutator.dice.pick(records))
        }
        return Seal.record.close(content, writer: "0.0.1")
    }

    private func expectSame(_ record: SubjectRecord) throws {
        let bytes = record.encoded(by: "0.0.1")
        let again = try SubjectRecord(subject: record.subject, decoding: bytes)
        #expect(again.encoded(by: "0.0.1") == bytes)
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
