import BelfryModel
import BelfryStore

/// Records that begin with what will not change any more.
extension RecordStoreContract {
    static let settledClauses = [
        Clause("what is settled stays when a change keeps it") { contract in
            try contract.withStore { store in
                try expect("what is settled of nobody", store.settledSize(for: "ana"), is: 0)
                try store.commit(RecordChange(subject: "ana", bytes: [1, 2, 3], settled: 2, keepsSettled: true))
                try expect("ana's record", store.record(for: "ana"), is: [1, 2, 3])
                try expect("what is settled of it", store.settledSize(for: "ana"), is: 2)
                try store.commit(RecordChange(subject: "ana", bytes: [4], keepsSettled: true))
                try expect("ana's record", store.record(for: "ana"), is: [1, 2, 4])
                try store.commit(RecordChange(subject: "ana", bytes: [5, 6], settled: 1, keepsSettled: true))
                try expect("ana's record", store.record(for: "ana"), is: [1, 2, 5, 6])
                try expect("what is settled of it", store.settledSize(for: "ana"), is: 3)
                try expect("the rows", rows(of: store), is: ["ana: [1, 2, 5, 6]"])
            }
        },
        Clause("a change that keeps nothing replaces what is settled, too") { contract in
            try contract.withStore { store in
                try store.commit(RecordChange(subject: "ana", bytes: [1, 2, 3], settled: 2))
                try store.commit(RecordChange(subject: "ana", bytes: [4, 5, 6], settled: 1))
                try expect("ana's record", store.record(for: "ana"), is: [4, 5, 6])
                try expect("what is settled of it", store.settledSize(for: "ana"), is: 1)
                try store.commit(RecordChange(subject: "ana", bytes: [7]))
                try expect("ana's record", store.record(for: "ana"), is: [7])
                try expect("what is settled of it", store.settledSize(for: "ana"), is: 0)
            }
        },
        Clause("all of a record may be settled, in several changes of one batch") { contract in
            try contract.withStore { store in
                try store.commit(
                    RecordChange(subject: "ana", bytes: [1], settled: 1, keepsSettled: true),
                    RecordChange(subject: "bob", bytes: [9], settled: 1, keepsSettled: true),
                    RecordChange(subject: "ana", bytes: [2], settled: 1, keepsSettled: true))
                try expect("ana's record", store.record(for: "ana"), is: [1, 2])
                try expect("bob's record", store.record(for: "bob"), is: [9])
            }
        },
        Clause("nothing is settled of a record that was deleted, set aside or erased") { contract in
            try contract.withStore { store in
                let settled = RecordChange(subject: "ana", bytes: [1, 2, 3], settled: 2, keepsSettled: true)
                let removals = [
                    { try store.commit(RecordChange(subject: "ana", bytes: nil)) },
                    { try setAside("ana", "torn", in: store) },
                    { try store.erase("ana") },
                ]
                for (number, remove) in removals.enumerated() {
                    try store.commit(settled)
                    try remove()
                    try expect("ana's record after removal \(number)", store.record(for: "ana"), is: nil)
                    try expect("what is settled of it", store.settledSize(for: "ana"), is: 0)
                    try store.commit(RecordChange(subject: "ana", bytes: [4], keepsSettled: true))
                    try expect("her next record", store.record(for: "ana"), is: [4])
                    if number == 1 {
                        try expect("what is aside", store.setAside(of: "ana").map(\.bytes), is: [[1, 2, 3]])
                    }
                }
            }
        },
        Clause("what is settled survives closing") { contract in
            guard let reopen = contract.reopen else { return }
            let store = try contract.make()
            try store.commit(RecordChange(subject: "ana", bytes: [1, 2, 3], settled: 2, keepsSettled: true))
            store.close()
            let again = try reopen(store)
            defer { again.close() }
            try expect("ana's record", again.record(for: "ana"), is: [1, 2, 3])
            try expect("what is settled of it", again.settledSize(for: "ana"), is: 2)
        },
    ]
}
