import BelfryModel
import BelfryStore

/// Records that have parts.
extension RecordStoreContract {
    static let partClauses = [
        Clause("parts come first, in the order of their numbers, and stay when a change keeps them") { contract in
            try contract.withStore { store in
                try expect("the parts of nobody", store.parts(of: "ana"), is: [])
                try store.commit(change([9], (7, [7, 7]), (2, [2])))
                try expect("ana's record", store.record(for: "ana"), is: [2, 7, 7, 9])
                try expect("her parts", store.parts(of: "ana"), is: [2, 7])
                try store.commit(change([10]))
                try expect("ana's record", store.record(for: "ana"), is: [2, 7, 7, 10])
                try store.commit(change([], (2, [3, 3]), (0, [1])))
                try expect("ana's record", store.record(for: "ana"), is: [1, 3, 3, 7, 7])
                try expect("the rows", rows(of: store), is: ["ana: [1, 3, 3, 7, 7]"])
            }
        },
        Clause("a part without bytes is removed") { contract in
            try contract.withStore { store in
                try store.commit(change([9], (1, [1]), (2, [2])))
                try store.commit(change([9], (1, []), (3, [])))
                try expect("ana's record", store.record(for: "ana"), is: [2, 9])
                try expect("her parts", store.parts(of: "ana"), is: [2])
            }
        },
        Clause("a change that keeps no parts has all that there are") { contract in
            try contract.withStore { store in
                try store.commit(change([9], (1, [1]), (2, [2])))
                try store.commit(change([8], (1, [3]), keeping: false))
                try expect("ana's record", store.record(for: "ana"), is: [3, 8])
                try store.commit(RecordChange(subject: "ana", bytes: [7]))
                try expect("ana's record", store.record(for: "ana"), is: [7])
                try expect("her parts", store.parts(of: "ana"), is: [])
            }
        },
        Clause("several changes of one batch add up") { contract in
            try contract.withStore { store in
                try store.commit(
                    change([9], (1, [1])), RecordChange(subject: "bob", bytes: [5]), change([8], (2, [2])))
                try expect("ana's record", store.record(for: "ana"), is: [1, 2, 8])
                try expect("bob's record", store.record(for: "bob"), is: [5])
            }
        },
        Clause("a record that was deleted, set aside or erased has no parts any more") { contract in
            try contract.withStore { store in
                let removals = [
                    { try store.commit(RecordChange(subject: "ana", bytes: nil)) },
                    { try setAside("ana", "torn", in: store) },
                    { try store.erase("ana") },
                ]
                for (number, remove) in removals.enumerated() {
                    try store.commit(change([3], (1, [1]), (2, [2])))
                    try remove()
                    try expect("ana's record after removal \(number)", store.record(for: "ana"), is: nil)
                    try expect("her parts", store.parts(of: "ana"), is: [])
                    if number == 1 {
                        try expect("what is aside", store.setAside(of: "ana").map(\.bytes), is: [[1, 2, 3]])
                    }
                    try store.commit(change([4]))
                    try expect("her next record", store.record(for: "ana"), is: [4])
                }
            }
        },
        Clause("parts survive closing") { contract in
            guard let reopen = contract.reopen else { return }
            let store = try contract.make()
            try store.commit(change([3], (1, [1]), (2, [2])))
            store.close()
            let again = try reopen(store)
            defer { again.close() }
            try expect("ana's record", again.record(for: "ana"), is: [1, 2, 3])
            try expect("her parts", again.parts(of: "ana"), is: [1, 2])
        },
    ]

    private static func change(_ bytes: [UInt8], _ parts: (Int, [UInt8])..., keeping: Bool = true) -> RecordChange {
        RecordChange(
            subject: "ana", bytes: bytes, parts: parts.map { RecordPart(number: $0.0, bytes: $0.1) },
            keepsParts: keeping)
    }
}
