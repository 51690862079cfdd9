/// A hash of bytes that is the same in every process and on every machine, unlike `Hasher`: for tables, fingerprints and checksums.
///
/// It is made like wyhash: sixteen bytes, as two words, little endian, are mixed in by both halves of their product. The last sixteen may
/// have been mixed in before; less than sixteen are two words that overlap. How many bytes there were comes last.
package func stableHash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var hash = seed ^ secret.0
    var place = 0
    while place + 16 < bytes.count {
        hash = mix(bytes.number(at: place) ^ secret.1, bytes.number(at: place + 8) ^ hash)
        place += 16
    }
    let (first, second) = bytes.lastWords
    return mix(mix(first ^ secret.1, second ^ hash) ^ UInt64(bytes.count), secret.2)
}

package func stableHash(_ bytes: some Collection<UInt8>, seed: UInt64 = 0) -> UInt64 {
    Array(bytes).withUnsafeBytes { stableHash($0, seed: seed) }
}

package func stableHash(_ text: String, seed: UInt64 = 0) -> UInt64 {
    text.withBytes { stableHash($0, seed: seed) }
}

/// Odd, with as many ones as zeros.
private let secret: (UInt64, UInt64, UInt64) = (
    0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB, 0x8EBC_6AF0_9C88_C6E3
)

@inline(__always)
private func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    fileprivate func number(at place: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    @inline(__always)
    private func half(at place: Int) -> UInt64 {
        UInt64(UInt32(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    }

    /// The last sixteen bytes, or all of less.
    @inline(__always)
    fileprivate var lastWords: (UInt64, UInt64) {
        if count >= 16 { return (number(at: count - 16), number(at: count - 8)) }
        if count >= 4 {
            // Two halves from either end, which overlap or meet.
            let middle = (count >> 3) << 2
            return (
                half(at: 0) << 32 | half(at: middle), half(at: count - 4) << 32 | half(at: count - 4 - middle)
            )
        }
        if count == 0 { return (0, 0) }
        return (UInt64(self[0]) << 16 | UInt64(self[count >> 1]) << 8 | UInt64(self[count - 1]), 0)
    }
}
