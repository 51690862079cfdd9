import BelfryModel

/// What becomes durable at once: signals that were taken, what was decided on them, and what that changed.
///
/// The journal knows the numbers and the values of an entry; what its parts say is the business of the modules that write them.
public struct JournalEntry: Sendable, Equatable {
    /// From 1, without a gap; given by the journal.
    public internal(set) var number: UInt64 = 0
    /// How many decisions the journal has had before; given by the journal.
    public internal(set) var decisionsBefore: UInt64 = 0
    /// The last entry that was durable when this one was written; given by the journal.
    public internal(set) var durableBefore: UInt64 = 0
    /// How many decisions there are in it.
    public var decisions: Int
    /// When it was written, by the time of day.
    public var writtenAt: Instant
    /// Named values that hold from here on, such as cursors; those that are not named keep what they have.
    public var values: [String: [UInt8]] = [:]
    private var parts = [[UInt8]](repeating: [], count: Part.allCases.count)

    public enum Part: Int, CaseIterable, Sendable {
        /// The lines of signals that were decided.
        case signals
        /// The lines of decisions.
        case lines
        /// Where lines have gaps that are filled when they leave, and what fills them.
        case calls
        /// How calls of entries before have ended.
        case outcomes
        /// What is to be forwarded.
        case items
        /// What changed in records.
        case changes
        /// For each signal, which of the lines are its answer.
        case answers
        /// What came of the signals of requests that are to be done once.
        case requests
        /// What two configurations decided differently, as lines.
        case differences
    }

    public init(decisions: Int = 0, writtenAt: Instant) { (self.decisions, self.writtenAt) = (decisions, writtenAt) }

    /// The bytes of a part; empty if there is nothing to say.
    public subscript(part: Part) -> [UInt8] {
        get { parts[part.rawValue] }
        set { parts[part.rawValue] = newValue }
    }
}

// MARK: As bytes

// A frame is a head of 16 bytes, and the content, filled up with zeros to a multiple of 8:
//
//   4 "BLFJ" · 4 the length of the content · 8 its checksum
//   8 number · 8 decisions before · 8 written at, in ms since 1970 · 4 decisions · 4 how many values · 8 the last entry that was durable
//   for each value: 4 the length of the name · 4 that of the value · the name · the value
//   for each part: 4 its length · 4 the length that it has here · its bytes, or, where they are fewer here, an LZ4 block of them
//
// All numbers are little endian.

extension JournalEntry {
    /// Values as the bytes of an entry that has nothing else, to be kept elsewhere.
    public static func bytes(of values: [String: [UInt8]]) -> [UInt8] {
        var entry = JournalEntry(writtenAt: .distantPast)
        var buffer = GrowingBuffer()
        entry.values = values
        entry.write(to: &buffer)
        return buffer.bytes
    }

    /// Values that were kept elsewhere; nil if these bytes are none.
    public static func values(of bytes: [UInt8]) -> [String: [UInt8]]? {
        bytes.withUnsafeBytes { bytes in
            guard let length = length(head: bytes), length == bytes.count - headSize else { return nil }
            let content = UnsafeRawBufferPointer(rebasing: bytes[headSize...])
            return isWhole(head: bytes, content: content) ? JournalEntry(content)?.values : nil
        }
    }

    static let magic: UInt32 = 0x4A46_4C42  // "BLFJ"
    static let headSize = 16
    private static let fixedSize = 40

    /// Appends the frame of this entry.
    func write(to buffer: inout GrowingBuffer) {
        let start = buffer.count
        buffer.append(fixed: Self.magic)
        buffer.append(fixed: UInt32(0))
        buffer.append(fixed: UInt64(0))
        buffer.append(fixed: number)
        buffer.append(fixed: decisionsBefore)
        buffer.append(fixed: writtenAt.milliseconds)
        buffer.append(fixed: UInt32(decisions))
        buffer.append(fixed: UInt32(values.count))
        buffer.append(fixed: durableBefore)
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            buffer.append(fixed: UInt32(name.utf8.count))
            buffer.append(fixed: UInt32(value.count))
            buffer.append(name)
            buffer.append(value)
        }
        for part in Part.allCases {
            buffer.append(packed: self[part], acceleration: PackedBytes.acceleration(of: part))
        }
        while (buffer.count - start) % 8 != 0 { buffer.append(UInt8(0)) }
        let content = start + Self.headSize..<buffer.count
        buffer.replace(start + 4, withFixed: UInt32(content.count))
        buffer.replace(start + 8, withFixed: stableHash(buffer.raw(in: content)))
    }

    /// The length of the content that a head announces; nil if that is no head.
    static func length(head: UnsafeRawBufferPointer) -> Int? {
        guard head.count >= headSize, head.number(at: 0, UInt32.self) == magic else { return nil }
        let length = Int(head.number(at: 4, UInt32.self))
        return length >= fixedSize && length % 8 == 0 ? length : nil
    }

    /// Whether the content is what was written.
    static func isWhole(head: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer) -> Bool {
        stableHash(content) == head.number(at: 8, UInt64.self)
    }

    /// Reads content whose checksum is right; nil if it makes no sense.
    init?(_ content: UnsafeRawBufferPointer) {
        number = content.number(at: 0, UInt64.self)
        decisionsBefore = content.number(at: 8, UInt64.self)
        writtenAt = Instant(milliseconds: content.number(at: 16, Int64.self))
        decisions = Int(content.number(at: 24, UInt32.self))
        durableBefore = content.number(at: 32, UInt64.self)
        var rest = FrameReader(content, place: Self.fixedSize)
        for _ in 0..<content.number(at: 28, UInt32.self) {
            guard let name = rest.count(), let value = rest.count(), let key = rest.bytes(name),
                let bytes = rest.bytes(value)
            else { return nil }
            values[String(decoding: key, as: UTF8.self)] = bytes
        }
        for part in Part.allCases {
            // Written by a belfry that knew fewer.
            guard let count = rest.count() else { break }
            guard let packed = rest.count(), let bytes = rest.bytes(packed, unpackedTo: count) else { return nil }
            parts[part.rawValue] = bytes
        }
    }
}

private struct FrameReader {
    private let bytes: UnsafeRawBufferPointer
    private var place: Int

    init(_ bytes: UnsafeRawBufferPointer, place: Int) { (self.bytes, self.place) = (bytes, place) }

    mutating func count() -> Int? {
        guard place + 4 <= bytes.count else { return nil }
        defer { place += 4 }
        return Int(bytes.number(at: place, UInt32.self))
    }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard place + count <= bytes.count else { return nil }
        defer { place += count }
        return Array(UnsafeRawBufferPointer(rebasing: bytes[place..<place + count]))
    }

    mutating func bytes(_ packed: Int, unpackedTo count: Int) -> [UInt8]? {
        if packed == count { return bytes(count) }
        guard place + packed <= bytes.count else { return nil }
        defer { place += packed }
        return PackedBytes.unpack(UnsafeRawBufferPointer(rebasing: bytes[place..<place + packed]), to: count)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func number<Number: FixedWidthInteger>(at offset: Int, _ type: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
