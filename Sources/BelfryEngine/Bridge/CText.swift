import CBelfry

/// UTF-8 bytes at a fixed address for as long as the object lives: what C borrows.
final class CText: @unchecked Sendable {
    // Unchecked: the bytes are written once, before anybody else sees them.
    private let bytes: UnsafeMutableBufferPointer<CChar>
    let text: String
    let c: belfry_text
    /// As the key of a counter.
    let hash: UInt64

    init(_ text: String) {
        self.text = text
        let utf8 = text.utf8
        bytes = .allocate(capacity: max(1, utf8.count))
        bytes.baseAddress!.initialize(repeating: 0, count: bytes.count)
        for (index, byte) in utf8.enumerated() { bytes[index] = CChar(bitPattern: byte) }
        c = belfry_text(bytes: UnsafePointer(bytes.baseAddress!), length: UInt64(utf8.count))
        hash = stableHash(text)
    }

    deinit { bytes.deallocate() }
}

extension belfry_text {
    /// Nil if the text is absent. Bytes that are no UTF-8 are replaced.
    public var string: String? {
        guard let bytes else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(length)), as: UTF8.self)
    }

    public static var absent: belfry_text { belfry_text(bytes: nil, length: 0) }

    var utf8: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(length)) }
}

/// The text at `bytes`; empty if it is NULL.
func string(_ bytes: UnsafePointer<CChar>?, _ length: UInt64) -> String {
    belfry_text(bytes: bytes, length: length).string ?? ""
}
