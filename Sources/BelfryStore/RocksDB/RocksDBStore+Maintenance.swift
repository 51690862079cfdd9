import BelfryModel

extension RocksDBStore {
    public func count() throws(StoreError) -> Int { try count(of: RocksDBKey.records) }

    private func count(of kind: UInt8) throws(StoreError) -> Int {
        var count = 0
        try forEach(kind) { _, _ in
            count += 1
            return true
        }
        return count
    }

    /// By subject, numbered in that order.
    public func forEachRow(_ body: (StoreRow) -> Void) throws(StoreError) {
        var number: Int64 = 0
        try forEach(RocksDBKey.records) { key, value in
            let row = StoredRow(value)
            body(
                StoreRow(
                    id: number, subject: RocksDBKey.subject(of: key), bytes: row.bytes, nextDue: row.nextDue))
            number += 1
            return true
        }
    }

    /// Reads everything: each block has a checksum.
    public func faults() throws(StoreError) -> [String] {
        try database(.reading).damage().map { ["RocksDB cannot read all of the files: \($0)"] } ?? []
    }

    public func quarantine(_ rows: [(row: StoreRow.ID, reason: String)]) throws(StoreError) {
        let reasons = Dictionary(rows.map { ($0.row, $0.reason) }, uniquingKeysWith: { $1 })
        var moved: [(row: StoreRow, key: [UInt8], reason: String)] = []
        try forEachRow { row in
            if let reason = reasons[row.id] { moved.append((row, [], reason)) }
        }
        for index in moved.indices {
            let subject = moved[index].row.subject
            moved[index].key = .quarantine(subject, try quarantined(of: subject).count)
        }
        try write { changes in
            for (row, key, reason) in moved {
                changes.put(key, UInt32(reason.utf8.count).bytes + reason.utf8 + row.bytes)
                changes.removeRecord(of: row.subject)
            }
        }
        try database(.writing).flush()
    }

    public func quarantinedCount() throws(StoreError) -> Int { try count(of: RocksDBKey.quarantine) }

    public func quarantined(of subject: String) throws(StoreError) -> [QuarantinedRecord] {
        let start = [UInt8].quarantine(subject)
        var records: [QuarantinedRecord] = []
        try forEach(RocksDBKey.quarantine, from: start) { key, value in
            guard key.starts(with: start) else { return false }
            let end = 4 + Int(value.loadUnaligned(as: UInt32.self))
            let reason = String(decoding: value[4..<end], as: UTF8.self)
            records.append(QuarantinedRecord(bytes: [UInt8](value[end...]), reason: reason))
            return true
        }
        return records
    }

    public func erase(_ subject: String, lastDecision: UInt64) throws(StoreError) {
        let last = max(lastDecision, try self.lastDecision(ofErased: subject))
        let quarantined = try quarantined(of: subject).indices
        try write { changes in
            changes.removeRecord(of: subject)
            for number in quarantined { changes.remove(.quarantine(subject, number)) }
            changes.put(.erased(subject), last.bytes)
        }
        for key in [[UInt8].record(subject), .timer(subject), .quarantine(subject)] {
            try database(.writing).rewrite(from: key, through: key + [.max])
        }
        // With the next change of its files, the list of those that are gone is, too: it names keys.
        try write { $0.put(.erased(subject), last.bytes) }
        try database(.writing).flush()
    }

    public func lastDecision(ofErased subject: String) throws(StoreError) -> UInt64 {
        try database(.reading).value(of: .erased(subject))?.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } ?? 0
    }
}
