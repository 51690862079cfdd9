import BelfryModel
import BelfryStore

extension RecordStoreContract {
    static let recordClauses = [
        Clause("a record that was committed is read back") { contract in
            try contract.withStore { store in
                try store.commit(
                    RecordChange(subject: "ana", bytes: [1, 2]), RecordChange(subject: "bob", bytes: [3]))
                try expect("ana's record", store.record(for: "ana"), is: [1, 2])
                try expect("bob's record", store.record(for: "bob"), is: [3])
            }
        },
        Clause("an unknown subject has no record") { contract in
            try contract.withStore { store in
                try store.commit(RecordChange(subject: "ana", bytes: [1]))
                try expect("bob's record", store.record(for: "bob"), is: nil)
            }
        },
        Clause("records of several subjects are what each has, in the order that was asked for") { contract in
            try contract.withStore { store in
                try store.commit(
                    RecordChange(subject: "ana", bytes: [1]), RecordChange(subject: "bob", bytes: [2]),
                    RecordChange(subject: "eve", bytes: [9]))
                try store.commit(RecordChange(subject: "bob", bytes: nil), RecordChange(subject: "eve", bytes: [3, 4]))
                let records = try store.records(for: ["eve", "bob", "ana", "eve", "joe"]).map { $0?.bytes }
                try expect("the records", records, is: [[3, 4], nil, [1], [3, 4], nil])
            }
        },
        Clause("a later record replaces the earlier one as a whole") { contract in
            try contract.withStore { store in
                try store.commit(RecordChange(subject: "ana", bytes: [1, 2, 3]))
                try store.commit(RecordChange(subject: "ana", bytes: [4]))
                try expect("ana's record", store.record(for: "ana"), is: [4])
                try expect(subjects: store.subjects(after: nil, limit: 9), are: ["ana"])
            }
        },
        Clause("of two changes to one subject in a batch the later one holds") { contract in
            try contract.withStore { store in
                try store.commit(
                    RecordChange(subject: "ana", bytes: [1]), RecordChange(subject: "ana", bytes: [2]),
                    RecordChange(subject: "bob", bytes: [3]), RecordChange(subject: "bob", bytes: nil),
                    RecordChange(subject: "eve", bytes: nil), RecordChange(subject: "eve", bytes: [4]))
                try expect("ana's record", store.record(for: "ana"), is: [2])
                try expect("bob's record", store.record(for: "bob"), is: nil)
                try expect("eve's record", store.record(for: "eve"), is: [4])
            }
        },
        Clause("a deleted record is gone, with its subject") { contract in
            try contract.withStore { store in
                try store.commit(
                    RecordChange(subject: "ana", bytes: [1]), RecordChange(subject: "bob", bytes: [2]))
                try store.commit(RecordChange(subject: "ana", bytes: nil))
                try expect("ana's record", store.record(for: "ana"), is: nil)
                try expect("bob's record", store.record(for: "bob"), is: [2])
                try expect(subjects: store.subjects(after: nil, limit: 9), are: ["bob"])
            }
        },
        Clause("deleting what is not there does nothing") { contract in
            try contract.withStore { store in
                try store.commit(RecordChange(subject: "ana", bytes: nil, nextDue: Instant(milliseconds: 1)))
                try expect(subjects: store.subjects(after: nil, limit: 9), are: [])
                try expect(timers: store, are: [])
            }
        },
        Clause("an empty record is a record") { contract in
            try contract.withStore { store in
                try store.commit(RecordChange(subject: "ana", bytes: []))
                try expect("ana's record", store.record(for: "ana"), is: [])
                try expect(subjects: store.subjects(after: nil, limit: 9), are: ["ana"])
            }
        },
        Clause("every byte comes back, zero too") { contract in
            try contract.withStore { store in
                let bytes = [0, 0] + Array(UInt8.min...UInt8.max) + [0]
                try store.commit(RecordChange(subject: "ana", bytes: bytes))
                try expect("ana's record", store.record(for: "ana"), is: bytes)
            }
        },
        Clause("a record of 5 MB comes back") { contract in
            try contract.withStore { store in
                let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
                try store.commit(RecordChange(subject: "ana", bytes: bytes))
                // Compared here, since a description of what differs would take its time.
                try expect("that the bytes are the same", store.record(for: "ana") == bytes, is: true)
            }
        },
    ]

    static let subjectClauses = [
        Clause("a store without records has no subjects") { contract in
            try contract.withStore { store in
                try expect(subjects: store.subjects(after: nil, limit: 9), are: [])
                try expect(subjects: store.subjects(after: "ana", limit: 9), are: [])
            }
        },
        Clause("subjects come in the order of their UTF-8 bytes") { contract in
            try contract.withStore { store in
                try store.commit(StoreBatch(records: subjectsInOrder.reversed().map(record)))
                try expect(subjects: store.subjects(after: nil, limit: 99), are: subjectsInOrder)
            }
        },
        Clause("pages of any size join to all subjects") { contract in
            try contract.withStore { store in
                try store.commit(StoreBatch(records: subjectsInOrder.map(record)))
                for size in 1...subjectsInOrder.count + 1 {
                    let pages = try pages(of: store, size: size)
                    try expect(subjects: pages, are: subjectsInOrder, "the subjects in pages of \(size)")
                }
            }
        },
        Clause("a page can begin after a subject that does not exist") { contract in
            try contract.withStore { store in
                try store.commit(StoreBatch(records: ["a", "c", "e"].map(record)))
                try expect(subjects: store.subjects(after: "b", limit: 1), are: ["c"])
                try expect(subjects: store.subjects(after: "b", limit: 9), are: ["c", "e"])
                try expect(subjects: store.subjects(after: "e", limit: 9), are: [])
            }
        },
        Clause("a page shows what was committed and deleted since the last one") { contract in
            try contract.withStore { store in
                try store.commit(StoreBatch(records: ["a", "b", "d"].map(record)))
                try expect(subjects: store.subjects(after: nil, limit: 1), are: ["a"])
                try store.commit(record("c"), RecordChange(subject: "b", bytes: nil))
                try expect(subjects: store.subjects(after: "a", limit: 9), are: ["c", "d"])
            }
        },
        Clause("a limit of zero or less gives an empty page") { contract in
            try contract.withStore { store in
                try store.commit(record("ana"))
                try expect(subjects: store.subjects(after: nil, limit: 0), are: [])
                try expect(subjects: store.subjects(after: nil, limit: -1), are: [])
            }
        },
        Clause("subjects with different bytes are different") { contract in
            try contract.withStore { store in
                // One scalar and two that look the same; nothing, a zero, and what could be cut off after it.
                let alike = ["\u{E9}", "e\u{301}", "", "\0", "\0x", "a", "a\0", "a\0b", "A", "a "]
                let changes = alike.enumerated().map { RecordChange(subject: $1, bytes: [UInt8($0)]) }
                try store.commit(StoreBatch(records: changes))
                for change in changes {
                    try expect(
                        "the record of \(change.subject.debugDescription)", store.record(for: change.subject),
                        is: change.bytes)
                }
            }
        },
    ]

    static let timerClauses = [
        Clause("timers come by due time, then by subject") { contract in
            try contract.withStore { store in
                try store.commit(
                    record("c", due: 5), record("b", due: 7), record("a", due: 7), record("d"),
                    record("past", due: .min), record("never", due: .max), record("before 1970", due: -1))
                try expect(
                    timers: store,
                    are: [("past", .min), ("before 1970", -1), ("c", 5), ("a", 7), ("b", 7), ("never", .max)])
            }
        },
        Clause("a later commit moves a timer") { contract in
            try contract.withStore { store in
                try store.commit(record("a", due: 5), record("b", due: 6))
                try store.commit(record("a", due: 7))
                try expect(timers: store, are: [("b", 6), ("a", 7)])
            }
        },
        Clause("a commit without a due time removes the timer and keeps the record") { contract in
            try contract.withStore { store in
                try store.commit(record("a", due: 5))
                try store.commit(record("a"))
                try expect(timers: store, are: [])
                try expect("a's record", store.record(for: "a"), is: [1])
            }
        },
        Clause("deleting a record removes its timer") { contract in
            try contract.withStore { store in
                try store.commit(record("a", due: 5))
                try store.commit(RecordChange(subject: "a", bytes: nil))
                try expect(timers: store, are: [])
            }
        },
    ]

    static let storeClauses = [
        Clause("named values are set, replaced and kept apart from subjects") { contract in
            try contract.withStore { store in
                try expect("'position'", store.meta("position"), is: nil)
                try store.commit(StoreBatch(meta: ["position": [1], "nothing": []]))
                try store.commit(StoreBatch(meta: ["position": [0, 2]]))
                try expect("'position'", store.meta("position"), is: [0, 2])
                try expect("'nothing'", store.meta("nothing"), is: [])
                try expect("the record for 'position'", store.record(for: "position"), is: nil)
            }
        },
        Clause("records and named values of a batch become true together") { contract in
            try contract.withStore { store in
                try store.commit(StoreBatch(records: [record("a", due: 5)], meta: ["position": [9]]))
                try expect("a's record", store.record(for: "a"), is: [1])
                try expect("'position'", store.meta("position"), is: [9])
                try expect(timers: store, are: [("a", 5)])
            }
        },
        Clause("an empty batch changes nothing") { contract in
            try contract.withStore { store in
                try store.commit(record("a", due: 5))
                try store.commit(StoreBatch())
                try expect("a's record", store.record(for: "a"), is: [1])
                try expect(timers: store, are: [("a", 5)])
            }
        },
        Clause("two stores know nothing of each other") { contract in
            try contract.withStore { first in
                try contract.withStore { second in
                    try first.commit(StoreBatch(records: [record("a")], meta: ["position": [1]]))
                    try expect("a's record in the other store", second.record(for: "a"), is: nil)
                    try expect("'position' in the other store", second.meta("position"), is: nil)
                }
            }
        },
        Clause("a closed store refuses everything, and can be closed again") { contract in
            try contract.withStore { store in
                try store.commit(record("a"))
                store.close()
                store.close()
                try expectRefusal("record", .closed) { () throws(StoreError) in _ = try store.record(for: "a") }
                try expectRefusal("subjects", .closed) { () throws(StoreError) in
                    _ = try store.subjects(after: nil, limit: 1)
                }
                try expectRefusal("timers", .closed) { () throws(StoreError) in _ = try store.timers() }
                try expectRefusal("meta", .closed) { () throws(StoreError) in _ = try store.meta("position") }
                try expectRefusal("commit", .closed) { () throws(StoreError) in try store.commit(StoreBatch()) }
            }
        },
        Clause("a store that is opened again has everything that was committed") { contract in
            guard let reopen = contract.reopen else { return }
            let store = try contract.make()
            try store.commit(StoreBatch(records: subjectsInOrder.map { record($0) }, meta: ["position": [9]]))
            try store.commit(record("a", due: 5), RecordChange(subject: "b", bytes: nil))
            // Closing waits where a batch did not.
            try store.commit(StoreBatch(records: [RecordChange(subject: "z", bytes: [26])], waits: false))
            try expect("z's record", store.record(for: "z"), is: [26])
            store.close()
            let again = try reopen(store)
            defer { again.close() }
            try expect(
                subjects: again.subjects(after: nil, limit: 99), are: subjectsInOrder.filter { $0 != "b" })
            try expect("a's record", again.record(for: "a"), is: [1])
            try expect("z's record", again.record(for: "z"), is: [26])
            try expect("'position'", again.meta("position"), is: [9])
            try expect(timers: again, are: [("a", 5)])
        },
    ]

    /// In byte order, which is neither that of a dictionary nor that of UTF-16: 𝄞 is F0…, U+FF01 is EF….
    private static let subjectsInOrder = [
        "", "\0", " ", "10", "9", "A", "Z", "a", "a\0", "aa", "b", "e\u{301}", "z", "\u{E9}", "ж", "日",
        "\u{FF01}", "𝄞",
    ]

    @Sendable private static func record(_ subject: String) -> RecordChange { record(subject, due: nil) }

    private static func record(_ subject: String, due: Int64? = nil) -> RecordChange {
        RecordChange(subject: subject, bytes: [1], nextDue: due.map(Instant.init(milliseconds:)))
    }

    private static func pages(of store: any RecordStore, size: Int) throws -> [String] {
        var subjects: [String] = []
        while true {
            let page = try store.subjects(after: subjects.last, limit: size)
            subjects += page
            if page.count < size { return subjects }
        }
    }
}
