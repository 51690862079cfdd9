import BelfryModel
import BelfryStore

/// Looking after a store.
extension RecordStoreContract {
    static let careClauses = [
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
        Clause("what is set aside is out of the way, and kept with its reason") { contract in
            try contract.withStore { store in
                try store.commit(
                    RecordChange(subject: "ana", bytes: [1], nextDue: Instant(milliseconds: 5)),
                    RecordChange(subject: "bob", bytes: [2], nextDue: Instant(milliseconds: 6)))
                try setAside("ana", "torn", in: store)
                try expect("ana's record", store.record(for: "ana"), is: nil)
                try expect(subjects: store.subjects(after: nil, limit: 9), are: ["bob"])
                try expect(timers: store, are: [("bob", 6)])
                try expect("bob's record", store.record(for: "bob"), is: [2])
                try expect("the rows", rows(of: store), is: ["bob: [2] due 6"])
                try expect("how many are aside", store.countOfSetAside(), is: 1)
                try expect(
                    "what is aside of ana", store.setAside(of: "ana"),
                    is: [SetAsideRecord(bytes: [1], reason: "torn")])
                try expect("what is aside of bob", store.setAside(of: "bob"), is: [])
            }
        },
        Clause("a subject can be set aside again after a new start") { contract in
            try contract.withStore { store in
                for byte: UInt8 in 1...2 {
                    try store.commit(RecordChange(subject: "ana", bytes: [byte]))
                    try setAside("ana", "reason \(byte)", in: store)
                }
                try expect("the bytes aside", store.setAside(of: "ana").map(\.bytes), is: [[1], [2]])
                try expect(
                    "the reasons", store.setAside(of: "ana").map(\.reason), is: ["reason 1", "reason 2"])
            }
        },
        Clause("erasing leaves nothing of a subject, and everything of the others") { contract in
            try contract.withStore { store in
                for subject in ["ana", "bob"] {
                    try store.commit(RecordChange(subject: subject, bytes: [1]))
                    try setAside(subject, "torn", in: store)
                    try store.commit(
                        RecordChange(subject: subject, bytes: [2], nextDue: Instant(milliseconds: 5)))
                }
                try store.erase("ana")
                try store.erase("eve")
                try expect("ana's record", store.record(for: "ana"), is: nil)
                try expect("what is aside of ana", store.setAside(of: "ana"), is: [])
                try expect(timers: store, are: [("bob", 5)])
                try expect("bob's record", store.record(for: "bob"), is: [2])
                try expect("what is aside of bob", store.setAside(of: "bob").count, is: 1)
            }
        },
        Clause("a closed store cannot be looked after") { contract in
            try contract.withStore { store in
                store.close()
                try expectRefusal("count", .closed) { () throws(StoreError) in _ = try store.count() }
                try expectRefusal("forEachRow", .closed) { () throws(StoreError) in try store.forEachRow { _ in } }
                try expectRefusal("faults", .closed) { () throws(StoreError) in _ = try store.faults() }
                try expectRefusal("setAside", .closed) { () throws(StoreError) in try store.setAside([]) }
                try expectRefusal("setAside(of:)", .closed) { () throws(StoreError) in
                    _ = try store.setAside(of: "ana")
                }
                try expectRefusal("countOfSetAside", .closed) { () throws(StoreError) in
                    _ = try store.countOfSetAside()
                }
                try expectRefusal("erase", .closed) { () throws(StoreError) in try store.erase("ana") }
            }
        },
        Clause("what was set aside is there after opening again") { contract in
            guard let reopen = contract.reopen else { return }
            let store = try contract.make()
            try store.commit(RecordChange(subject: "ana", bytes: [1]))
            try setAside("ana", "torn", in: store)
            store.close()
            let again = try reopen(store)
            defer { again.close() }
            try expect(
                "what is aside of ana", again.setAside(of: "ana"), is: [SetAsideRecord(bytes: [1], reason: "torn")])
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

    static func setAside(_ subject: String, _ reason: String, in store: any RecordStore) throws {
        var rows: [(row: StoreRow.ID, reason: String)] = []
        try store.forEachRow { if $0.subject == subject { rows.append(($0.id, reason)) } }
        try store.setAside(rows)
    }
}
