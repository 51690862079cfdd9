import BelfryModel
import BelfryStore

/// Looking after a store.
extension RecordStoreContract {
    static let maintenanceClauses = [
        Clause("every record is shown once, with its due time, and counted") { contract in
            try contract.withStore { store in
                try expect("the count of an empty store", store.count(), is: 0)
                try expect("the rows of an empty store", rows(of: store), is: [])
                try store.commit(
                    RecordChange(subject: "bob", bytes: [2]), RecordChange(subject: "", bytes: [0]),
                    RecordChange(subject: "ana", bytes: [1], nextDue: Instant(milliseconds: 5)),
                    RecordChange(subject: "eve", bytes: []))
                try store.commit(RecordChange(subject: "bob", bytes: nil))
                try expect("the count", store.count(), is: 3)
                try expect("the rows", rows(of: store), is: [": [0]", "ana: [1] due 5", "eve: []"])
            }
        },
        Clause("a store that is well has no faults") { contract in
            try contract.withStore { store in
                try store.commit(RecordChange(subject: "ana", bytes: [1]))
                try expect("the faults", store.faults(), is: [])
            }
        },
        Clause("a record in quarantine is out of the way, and kept with its reason") { contract in
            try contract.withStore { store in
                try store.commit(
                    RecordChange(subject: "ana", bytes: [1], nextDue: Instant(milliseconds: 5)),
                    RecordChange(subject: "bob", bytes: [2], nextDue: Instant(milliseconds: 6)))
                try quarantine("ana", "torn", in: store)
                try expect("ana's record", store.record(for: "ana"), is: nil)
                try expect(subjects: store.subjects(after: nil, limit: 9), are: ["bob"])
                try expect(timers: store, are: [("bob", 6)])
                try expect("bob's record", store.record(for: "bob"), is: [2])
                try expect("the rows", rows(of: store), is: ["bob: [2] due 6"])
                try expect("how many are in quarantine", store.quarantinedCount(), is: 1)
                try expect(
                    "the quarantine of ana", store.quarantined(of: "ana"),
                    is: [QuarantinedRecord(bytes: [1], reason: "torn")])
                try expect("the quarantine of bob", store.quarantined(of: "bob"), is: [])
            }
        },
        Clause("a subject can come into quarantine again after a new start") { contract in
            try contract.withStore { store in
                for byte: UInt8 in 1...2 {
                    try store.commit(RecordChange(subject: "ana", bytes: [byte]))
                    try quarantine("ana", "reason \(byte)", in: store)
                }
                try expect("the bytes in quarantine", store.quarantined(of: "ana").map(\.bytes), is: [[1], [2]])
                try expect(
                    "the reasons", store.quarantined(of: "ana").map(\.reason), is: ["reason 1", "reason 2"])
            }
        },
        Clause("those that changed last come first, by the entry that the change said") { contract in
            try contract.withStore { store in
                for (subject, entry) in [("ana", 3), ("bob", 1), ("eve", 2), ("bob", 4)] as [(String, UInt64)] {
                    try store.commit(
                        StoreBatch(records: [RecordChange(subject: subject, bytes: [1], entry: entry)]))
                }
                try store.commit(StoreBatch(records: [RecordChange(subject: "eve", bytes: nil, entry: 5)]))
                try expect("all of them", store.subjects(changedLast: 9), is: ["bob", "ana"])
                try expect("the last one", store.subjects(changedLast: 1), is: ["bob"])
                try expect("none of them", store.subjects(changedLast: 0), is: [])
            }
        },
        Clause("erasing leaves nothing of a subject, and everything of the others") { contract in
            try contract.withStore { store in
                for subject in ["ana", "bob"] {
                    try store.commit(RecordChange(subject: subject, bytes: [1]))
                    try quarantine(subject, "torn", in: store)
                    try store.commit(
                        RecordChange(subject: subject, bytes: [2], nextDue: Instant(milliseconds: 5)))
                }
                try store.erase("ana", lastDecision: 0)
                try store.erase("eve", lastDecision: 0)
                try expect("ana's record", store.record(for: "ana"), is: nil)
                try expect("the quarantine of ana", store.quarantined(of: "ana"), is: [])
                try expect(timers: store, are: [("bob", 5)])
                try expect("bob's record", store.record(for: "bob"), is: [2])
                try expect("the quarantine of bob", store.quarantined(of: "bob").count, is: 1)
            }
        },
        Clause("each record in quarantine counts for more decisions than its subject has had") { contract in
            try contract.withStore { store in
                for count: UInt64 in 1...2 {
                    try store.commit(RecordChange(subject: "ana", bytes: [1]))
                    var rows: [StoreRow.ID] = []
                    try store.forEachRow { rows.append($0.id) }
                    try store.quarantine(rows.map { ($0, "damaged") })
                    try expect(
                        "the last decision of ana", store.lastDecision(ofForgotten: "ana"),
                        is: count * QuarantinedRecord.decisions)
                }
                try expect("the last decision of bob", store.lastDecision(ofForgotten: "bob"), is: 0)
                try store.erase("ana", lastDecision: 7)
                try expect("the last decision of ana", store.lastDecision(ofForgotten: "ana"), is: 7)
            }
        },
        Clause("an erased subject leaves the number of its last decision, which never gets smaller") { contract in
            try contract.withStore { store in
                try store.commit(RecordChange(subject: "ana", bytes: [1]))
                try expect(
                    "the last decision of a subject that is there", store.lastDecision(ofForgotten: "ana"), is: 0)
                try store.erase("ana", lastDecision: 7)
                try expect("the last decision of ana", store.lastDecision(ofForgotten: "ana"), is: 7)
                try store.erase("ana", lastDecision: 3)
                try expect("the last decision of ana", store.lastDecision(ofForgotten: "ana"), is: 7)
                try store.erase("ana", lastDecision: 12)
                try expect("the last decision of ana", store.lastDecision(ofForgotten: "ana"), is: 12)
                try expect("the last decision of bob", store.lastDecision(ofForgotten: "bob"), is: 0)
                try expect("how many were erased", store.erasedCount(), is: 1)
                try expect(subjects: store.subjects(after: nil, limit: 9), are: [])
            }
        },
        Clause("what stays of subjects is shown by digest, and another store takes it over") { contract in
            try contract.withStore { store in
                try expect("what stays in a new store", store.forgotten(), is: [])
                for subject in ["ana", "bob"] {
                    try store.commit(RecordChange(subject: subject, bytes: [1]))
                    try quarantine(subject, "torn", in: store)
                }
                try store.erase("ana", lastDecision: 7)
                try store.note([
                    ForgottenSubject("ana", lastDecision: 3), ForgottenSubject("bob", lastDecision: 2),
                    ForgottenSubject("eve", lastDecision: 1), ForgottenSubject("eve", lastDecision: 9),
                ])
                let numbers: [String: UInt64] = ["ana": 7, "bob": 2 + QuarantinedRecord.decisions, "eve": 9]
                for (subject, number) in numbers {
                    try expect(
                        "the last decision of \(subject)", store.lastDecision(ofForgotten: subject), is: number)
                }
                let first = try store.forgotten().map { $0.digest.first ?? 0 }
                try expect("the order of digests", first, is: first.sorted())
                try expect(
                    "what stays", Set(store.forgotten()),
                    is: Set(numbers.map { ForgottenSubject($0, lastDecision: $1) }))
            }
        },
        Clause("a closed store cannot be looked after") { contract in
            try contract.withStore { store in
                store.close()
                try expectRefusal("count", .closed) { () throws(StoreError) in _ = try store.count() }
                try expectRefusal("forEachRow", .closed) { () throws(StoreError) in try store.forEachRow { _ in } }
                try expectRefusal("faults", .closed) { () throws(StoreError) in _ = try store.faults() }
                try expectRefusal("quarantine", .closed) { () throws(StoreError) in try store.quarantine([]) }
                try expectRefusal("quarantined(of:)", .closed) { () throws(StoreError) in
                    _ = try store.quarantined(of: "ana")
                }
                try expectRefusal("quarantinedCount", .closed) { () throws(StoreError) in
                    _ = try store.quarantinedCount()
                }
                try expectRefusal("erasedCount", .closed) { () throws(StoreError) in _ = try store.erasedCount() }
                try expectRefusal("erase", .closed) { () throws(StoreError) in try store.erase("ana", lastDecision: 0) }
            }
        },
        Clause("the number of an erased subject is there after opening again") { contract in
            guard let reopen = contract.reopen else { return }
            let store = try contract.make()
            try store.erase("ana", lastDecision: 7)
            store.close()
            let again = try reopen(store)
            defer { again.close() }
            try expect("the last decision of ana", again.lastDecision(ofForgotten: "ana"), is: 7)
        },
        Clause("the quarantine is there after opening again") { contract in
            guard let reopen = contract.reopen else { return }
            let store = try contract.make()
            try store.commit(RecordChange(subject: "ana", bytes: [1]))
            try quarantine("ana", "torn", in: store)
            store.close()
            let again = try reopen(store)
            defer { again.close() }
            try expect(
                "the quarantine of ana", again.quarantined(of: "ana"),
                is: [QuarantinedRecord(bytes: [1], reason: "torn")])
        },
    ]

    /// A line each, in order.
    static func rows(of store: any RecordStore) throws -> [String] {
        var lines: [String] = []
        try store.forEachRow { row in
            let due = row.nextDue.map { " due \($0.milliseconds)" } ?? ""
            lines.append("\(row.subject): \(row.bytes)\(due)" + (row.fault.map { " \($0)" } ?? ""))
        }
        return lines.sorted()
    }

    static func quarantine(_ subject: String, _ reason: String, in store: any RecordStore) throws {
        var rows: [(row: StoreRow.ID, reason: String)] = []
        try store.forEachRow { if $0.subject == subject { rows.append(($0.id, reason)) } }
        try store.quarantine(rows)
    }
}
