// Texts by their bytes: faster than Swift's own notion of the same text, which knows two ways to write an "é".

extension String {
    /// A hash of the bytes, for tables in memory: it may be another one in the next version.
    ///
    /// Eight bytes at a time, each multiplied in.
    package var textHash: UInt64 {
        var text = self
        return text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            var hash = UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15
            var place = 0
            while place + 8 <= bytes.count {
                hash.mix(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                place += 8
            }
            var rest: UInt64 = 0
            while place < bytes.count {
                rest = rest << 8 | UInt64(bytes[place])
                place += 1
            }
            hash.mix(rest)
            return hash
        }
    }

    /// Whether both have the same bytes.
    @inlinable
    package func isSameText(as other: String) -> Bool {
        // Of a text of up to 15 bytes all is here, of a longer one where it lies.
        if unsafeBitCast(self, to: (UInt64, UInt64).self) == unsafeBitCast(other, to: (UInt64, UInt64).self) {
            return true
        }
        return hasBytes(of: other)
    }

    @usableFromInline
    package func hasBytes(of other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (left, right) = (self, other)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                var place = 0
                while place < left.count, left[place] == right[place] { place += 1 }
                return place == left.count
            }
        }
    }
}

extension UInt64 {
    fileprivate mutating func mix(_ word: UInt64) {
        self = (self ^ word) &* 0xD6E8_FEB8_6659_FD93
        self ^= self >> 32
    }
}
