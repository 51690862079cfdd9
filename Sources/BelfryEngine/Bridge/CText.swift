import BelfryModel
import CBelfry

/// UTF-8 bytes at a fixed address for as long as the object lives, and the key of the counter of that name: what C borrows.
final class CText: Sendable {
    let text: String
    private let place: Constant<UnsafePointer<CounterKey>>

    init(_ text: String) {
        self.text = text
        let size = MemoryLayout<CounterKey>.size
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: size + max(1, text.utf8.count), alignment: MemoryLayout<CounterKey>.alignment)
        let bytes = (memory + size).bindMemory(to: CChar.self, capacity: max(1, text.utf8.count))
        bytes.initialize(to: 0)
        for (index, byte) in text.utf8.enumerated() { bytes[index] = CChar(bitPattern: byte) }
        let key = memory.bindMemory(to: CounterKey.self, capacity: 1)
        key.initialize(to: CounterKey(belfry_text(bytes: bytes, length: UInt64(text.utf8.count))))
        place = Constant(UnsafePointer(key))
    }

    deinit { UnsafeMutableRawPointer(mutating: key).deallocate() }

    /// With the bytes behind it, so that a look at it brings them into the cache, too.
    var key: UnsafePointer<CounterKey> { place.pointer }

    var c: belfry_text { key.pointee.text }
    var hash: UInt64 { key.pointee.hash }
    var bytes: UnsafeRawBufferPointer { c.utf8 }

    func has(_ other: UnsafeRawBufferPointer) -> Bool { bytes.hasBytes(of: other) }
}

extension belfry_text {
    /// No text is longer, in bytes: what says that it is makes no sense.
    private static let longest: UInt64 = 1 << 30

    /// Nil if the text is absent, or has a length that makes no sense. Bytes that are no UTF-8 are replaced.
    public var string: String? {
        guard let bytes, length <= Self.longest else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(length)), as: UTF8.self)
    }

    public static var absent: belfry_text { belfry_text(bytes: nil, length: 0) }

    var utf8: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(length)) }
}

/// The text at `bytes`; empty if it is NULL.
func string(_ bytes: UnsafePointer<CChar>?, _ length: UInt64) -> String {
    belfry_text(bytes: bytes, length: length).string ?? ""
}
