/// A hash of bytes that is the same in every process and on every machine, unlike `Hasher`: for tables, fingerprints and checksums.
///
/// Words of eight bytes, little endian, the last one filled up with zeros, and how many bytes there were; each is mixed in by both halves of a
/// product, as in wyhash.
package func stableHash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var hash = seed
    var place = 0
    while place + 8 <= bytes.count {
        hash.mix(bytes.number(at: place, as: UInt64.self))
        place += 8
    }
    hash.mix(bytes.rest(from: place))
    hash.mix(UInt64(bytes.count))
    return hash
}

package func stableHash(_ bytes: some Collection<UInt8>, seed: UInt64 = 0) -> UInt64 {
    Array(bytes).withUnsafeBytes { stableHash($0, seed: seed) }
}

package func stableHash(_ text: String, seed: UInt64 = 0) -> UInt64 {
    text.withBytes { stableHash($0, seed: seed) }
}

extension UInt64 {
    @inline(__always)
    fileprivate mutating func mix(_ word: UInt64) {
        let product = (self ^ word ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        self = product.high ^ product.low
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    fileprivate func number<Number: FixedWidthInteger>(at place: Int, as type: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: place, as: type))
    }

    /// What is left from a place on, less than eight bytes, filled up with zeros. Bytes that are read twice change nothing.
    @inline(__always)
    fileprivate func rest(from place: Int) -> UInt64 {
        let rest = count - place
        if rest == 0 { return 0 }
        if count >= 8 { return number(at: count - 8, as: UInt64.self) >> UInt64(64 - 8 * rest) }
        if rest >= 4 {
            return UInt64(number(at: 0, as: UInt32.self)) | UInt64(number(at: rest - 4, as: UInt32.self))
                << UInt64(8 * (rest - 4))
        }
        let middle = rest / 2
        return UInt64(self[0]) | UInt64(self[middle]) << UInt64(8 * middle)
            | UInt64(self[rest - 1]) << UInt64(8 * (rest - 1))
    }
}
