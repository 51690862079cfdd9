import CLinux

/// How many records fit into the memory that they may take.
///
/// What a record takes is not known beforehand: its strategies allocate for their states what they like. So the process is
/// measured. When it has grown by more than it may, there are too many records, and so many as fit are told by those.
struct MemoryLimit {
    private let bytes: Int
    private let measure: () -> Int
    /// What the process had before there were records.
    private let before: Int
    /// What it may grow by until there are too many records, again.
    private var threshold: Int
    private var capacity = Int.max

    /// - Parameter measure: gives the memory of this process in bytes.
    init(bytes: Int, measure: @escaping () -> Int = { ProcessMemory().own }) {
        self.bytes = bytes
        self.measure = measure
        before = measure()
        threshold = bytes
    }

    /// How many records may stay, now that there are so many.
    ///
    /// - Parameter shared: bytes of records that lie in memory which other processes have, too.
    mutating func capacity(for count: Int, shared: Int = 0) -> Int {
        let taken = measure() - before + shared
        if taken > threshold, count > 0 {
            capacity = Int(Double(min(capacity, count)) * Double(bytes) / Double(taken))
            // Memory of records that left is used again, and not given back: only when it grows further, records have grown.
            threshold = taken + taken / 8
        }
        return capacity
    }
}

/// Has this process keep memory that was freed for the next batch, whose buffers will be as large: what the system gives it has to clear
/// first.
public func keepFreedMemory() { belfry_keep_memory() }
