import Glibc

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

    /// Whether one of the others has the same bytes.
    package func isAmong(_ others: [String]) -> Bool { others.contains { $0.isSameText(as: self) } }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are the same ones.
    @inlinable
    package func hasBytes(of other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count, let left = baseAddress, let right = other.baseAddress else {
            return count == 0 && other.count == 0
        }
        return memcmp(left, right, count) == 0
    }
}
