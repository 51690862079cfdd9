// Texts by their bytes: faster than Swift's own notion of the same text, which knows two ways to write an "é".

extension String {
    /// Lends its bytes.
    ///
    /// `withUTF8` is for a variable, and so for a copy of this text that is counted. `utf8Span` of a short text, which has its bytes in itself,
    /// was seen to lead to a place on the stack that was used again (Swift 6.3, optimized).
    @inlinable @inline(__always)
    package func withBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let lent = utf8.withContiguousStorageIfAvailable { bytes -> Swift.Result<Result, Failure> in
            do throws(Failure) {
                return .success(try body(UnsafeRawBufferPointer(bytes)))
            } catch {
                return .failure(error)
            }
        }
        return try lent!.get()  // texts of Swift have their bytes side by side, except on Apple's systems
    }

    /// Whether both have the same bytes.
    @inlinable @inline(__always)
    package func isSameText(as other: String) -> Bool {
        utf8.count == other.utf8.count && withBytes { left in other.withBytes { left.hasBytes(of: $0) } }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are the same ones.
    @inlinable
    package func hasBytes(of other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var place = 0
        while place + 64 <= count {
            let left = loadUnaligned(fromByteOffset: place, as: SIMD8<UInt64>.self)
            if left != other.loadUnaligned(fromByteOffset: place, as: SIMD8<UInt64>.self) { return false }
            place += 64
        }
        while place + 8 <= count {
            let (left, right) = (
                loadUnaligned(fromByteOffset: place, as: UInt64.self),
                other.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            )
            if left != right { return false }
            place += 8
        }
        while place < count {
            if self[place] != other[place] { return false }
            place += 1
        }
        return true
    }
}
