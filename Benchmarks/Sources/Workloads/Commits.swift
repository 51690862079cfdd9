import BelfryModel
import BelfryStore
import Foundation

extension Workload {
    /// One record of 300 bytes, committed with 999 others, over 100,000 subjects.
    static let commits = [
        Workload("commit/memory", operations: 500_000, counted: 20_000) { isCount in
            try committing(to: MemoryStore(), subjects: isCount ? 10_000 : 100_000)
        },
        Workload("commit/sqlite", operations: 200_000, counted: 20_000) { isCount in
            let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-measure-\(getpid())-store")
            try? FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let store = try SQLiteStore(path: folder.appending(path: "belfry.db").path)
            return try committing(to: store, subjects: isCount ? 10_000 : 100_000)
        },
    ]

    private static func committing(to store: any RecordStore, subjects: Int) throws -> Work {
        var random = Sequence64()
        let bytes = [UInt8](repeating: 7, count: 300)
        var changes = (0..<subjects).map { RecordChange(subject: "u\($0)", bytes: bytes, nextDue: nil) }
        changes.shuffle(using: &random)
        let batches = stride(from: 0, to: subjects, by: 1000).map {
            StoreBatch(records: Array(changes[$0..<$0 + 1000]))
        }
        for batch in batches { try store.commit(batch) }
        var next = 0
        return Work { count in
            for _ in 0..<count / 1000 {
                try store.commit(batches[next % batches.count])
                next += 1
            }
        }
    }
}
