extension StoreError {
    /// What RocksDB says of itself, in the words of this module.
    static func rocksDB(_ detail: String, _ attempt: Attempt, _ path: String) -> StoreError {
        if detail.contains("No space left on device") || detail.contains("Disk quota exceeded") {
            return .full(path, attempt)
        }
        if detail.contains("Permission denied") || detail.contains("Read-only file system") {
            return .permission(path, attempt, of: path, reason: detail)
        }
        if detail.hasPrefix("Corruption") { return .damaged(path, attempt, detail: "RocksDB reports: \(detail)") }
        return .failed(path, attempt, detail: "RocksDB reports: \(detail)")
    }
}
