extension UInt64 {
    /// Takes a word into a checksum. No step loses anything, so a change within one word is always found.
    @inlinable @inline(__always)
    package mutating func absorb(_ word: UInt64) {
        self = (self ^ word) &* 0xD6E8_FEB8_6659_FD93
        self ^= self >> 32
    }
}
