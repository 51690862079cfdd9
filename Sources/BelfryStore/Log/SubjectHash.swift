import BelfryModel

/// What stands for a subject in a table in memory: two hashes of its bytes, one of them with a seed that nobody knows. Two
/// subjects as good as never have the same; what is read is checked all the same.
struct SubjectHash: Equatable {
    private let hash: Int
    private let textHash: UInt64

    init(_ subject: String) { self = subject.withBytes { SubjectHash($0) } }

    /// - Parameter utf8: the bytes of the subject.
    init(_ utf8: UnsafeRawBufferPointer) {
        var hasher = Hasher()
        hasher.combine(bytes: utf8)
        (hash, textHash) = (hasher.finalize(), utf8.textHash)
    }

    /// Where to look for it first, in a table with a power of two of places.
    func index(in count: Int) -> Int { hash & (count - 1) }
}
