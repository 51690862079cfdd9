/// A hash of bytes that is the same in every process and on every machine, unlike `Hasher`: for tables, fingerprints and checksums.
///
/// Words of eight bytes, little endian, the last one filled up with zeros, and how many bytes there were; each is mixed in by both halves of a
/// product, as in wyhash.
package func stableHash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var hash = seed
    var place = 0
    while place + 8 <= bytes.count {
        hash.mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
        place += 8
    }
    var last: UInt64 = 0
    for index in stride(from: bytes.count - 1, through: place, by: -1) { last = last << 8 | UInt64(bytes[index]) }
    hash.mix(last)
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
