import BelfryModel
import CLZ4

/// Bytes as LZ4 blocks (https://github.com/lz4/lz4, doc/lz4_Block_format.md): lines of signals and decisions become a quarter, and take less
/// time to pack than to write.
enum PackedBytes {
    /// What is shorter or longer is not packed.
    static let sizes = 256...0x7E00_0000
    /// Lines repeat themselves so much that to look for it less often costs little: a quarter less time, and a tenth more bytes. What
    /// changed in records hardly repeats itself: half the time, and a sixth more bytes.
    static func acceleration(of part: JournalEntry.Part) -> Int32 { part == .changes ? 16 : 4 }
    /// No block grows by more than that when it is unpacked.
    private static let growth = 255

    /// - Returns: nil if that is no block of so many bytes.
    static func unpack(_ block: UnsafeRawBufferPointer, to count: Int) -> [UInt8]? {
        guard sizes.contains(count), count <= block.count * growth else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let target = UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
            let unpacked = LZ4_decompress_safe(
                block.assumingMemoryBound(to: CChar.self).baseAddress, target, Int32(block.count), Int32(count))
            filled = max(0, Int(unpacked))
        }
        return bytes.count == count ? bytes : nil
    }
}

extension GrowingBuffer {
    /// Appends the length of bytes, the length that they have here, and the bytes: packed where that makes them fewer.
    mutating func append(packed bytes: [UInt8], acceleration: Int32) {
        append(fixed: UInt32(bytes.count))
        let place = count
        append(fixed: UInt32(bytes.count))
        if PackedBytes.sizes.contains(bytes.count) {
            append(atMost: bytes.count - 1) { pack(bytes, to: $0, acceleration) }
        }
        if count == place + 4 { return append(bytes) }
        replace(place, withFixed: UInt32(count - place - 4))
    }
}

/// - Returns: how long the block is; 0 if it would not be smaller.
private func pack(_ bytes: [UInt8], to target: UnsafeMutablePointer<UInt8>, _ acceleration: Int32) -> Int {
    bytes.withUnsafeBytes { bytes in
        target.withMemoryRebound(to: CChar.self, capacity: bytes.count) { target in
            Int(
                LZ4_compress_fast(
                    bytes.assumingMemoryBound(to: CChar.self).baseAddress, target, Int32(bytes.count),
                    Int32(bytes.count - 1), acceleration))
        }
    }
}
