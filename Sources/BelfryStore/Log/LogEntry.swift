import BelfryModel

/// One thing that a commit changes, as it lies in the log:
///
///     size  what
///     1     the kind
///     8     a number: when the timer of a record is due, in ms since 1970; that of a part or an item
///     4     the length of the name
///     4     the length of the bytes
///     …     the name as UTF-8, the bytes
///
/// All numbers are little endian.
struct LogEntry {
    enum Kind: UInt8 {
        /// What comes after the parts of a subject's record.
        case record = 1
        /// The same, with a timer.
        case timedRecord
        case deletedRecord
        /// None of the parts that a subject's record had before.
        case noParts
        /// One of them; without bytes, it is removed.
        case part
        /// A value about the store as a whole.
        case value
        /// The items of a queue up to this number are gone.
        case removedItems
        case item
    }

    let kind: Kind
    let number: Int64
    /// Whose record or part it is, the key of a value, or a queue.
    let name: UnsafeRawBufferPointer
    let bytes: UnsafeRawBufferPointer

    static let headerSize = 17

    var size: Int { Self.headerSize + name.count + bytes.count }
    var text: String { String(decoding: name, as: UTF8.self) }
    var due: Instant? { kind == .timedRecord ? Instant(milliseconds: number) : nil }

    /// Nil if there is none that makes sense. It lives no longer than the bytes.
    init?(at offset: Int, in bytes: UnsafeRawBufferPointer) {
        guard let size = Self.size(at: offset, in: bytes), offset + size <= bytes.count,
            let kind = Kind(rawValue: bytes[offset])
        else { return nil }
        self.kind = kind
        number = bytes.number(at: offset + 1)
        let start = offset + Self.headerSize
        let middle = start + Int(bytes.number(at: offset + 9) as UInt32)
        name = UnsafeRawBufferPointer(rebasing: bytes[start..<middle])
        self.bytes = UnsafeRawBufferPointer(rebasing: bytes[middle..<offset + size])
    }

    /// What its header says; nil without a whole one.
    static func size(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard offset >= 0, bytes.count - offset >= headerSize else { return nil }
        let (name, rest): (UInt32, UInt32) = (bytes.number(at: offset + 9), bytes.number(at: offset + 13))
        return headerSize + Int(name) + Int(rest)
    }
}

extension UnsafeRawBufferPointer {
    /// A number in little endian.
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at place: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: place, as: Number.self))
    }
}

extension [UInt8] {
    /// Puts a number at the end, in little endian.
    mutating func append(number: some FixedWidthInteger & BitwiseCopyable) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    mutating func append(_ kind: LogEntry.Kind, _ number: Int64 = 0, name: String, _ bytes: [UInt8] = []) {
        append(kind.rawValue)
        append(number: number)
        append(number: UInt32(name.utf8.count))
        append(number: UInt32(bytes.count))
        name.withBytes { append(contentsOf: $0) }
        append(contentsOf: bytes)
    }
}
