// Texts by their bytes: faster than Swift's own notion of the same text, which knows two ways to write an "é".

extension String {
    /// Lends its bytes. `withUTF8` is for a variable, and so for a copy of this text that is counted.
    @inlinable @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        return withCopiedBytes(body)
    }

    /// For texts that do not lie in one piece.
    @usableFromInline @inline(never)
    package func withCopiedBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = self
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// A hash of the bytes, for tables in memory: it may be another one in the next version.
    package var textHash: UInt64 {
        let (first, second) = machineWords
        // The bytes of a short text are at hand.
        return Self.isShort(second)
            ? .textHash(first, second & 0xFF_FFFF_FFFF_FFFF, count: Int(second >> 56 & 0xF))
            : withBytes { $0.textHash }
    }

    /// Whether both have the same bytes.
    @inlinable @inline(__always)
    package func isSameText(as other: String) -> Bool {
        let (left, right) = (machineWords, other.machineWords)
        if left == right { return true }
        return Self.isShort(left.1) && Self.isShort(right.1) ? false : hasBytes(of: other)
    }

    /// What the value is made of: of a short text its bytes and their count, of another one where it lies.
    @usableFromInline
    package var machineWords: (UInt64, UInt64) {
        @inline(__always) get { unsafeBitCast(self, to: (UInt64, UInt64).self) }
    }

    /// Whether the second word is that of a text of up to 15 bytes that is here as a whole; not all such texts are.
    @usableFromInline @inline(__always)
    package static func isShort(_ word: UInt64) -> Bool { word >> 61 & 1 == 1 }

    /// The bytes of a short text, the low ones first, and how many they are; nil of another one.
    @inlinable @inline(__always)
    package var shortBytes: (first: UInt64, second: UInt64, count: Int)? {
        let (first, second) = machineWords
        guard Self.isShort(second) else { return nil }
        return (first, second & 0xFF_FFFF_FFFF_FFFF, Int(second >> 56 & 0xF))
    }

    /// Whether this is the text that the words are of; nil if only its bytes tell.
    @inlinable @inline(__always)
    package func isSame(as words: TextWords) -> Bool? {
        let own = machineWords
        if own == words.words { return true }
        return Self.isShort(own.1) && Self.isShort(words.words.1) ? false : nil
    }

    package func hasBytes(of bytes: UnsafeRawBufferPointer) -> Bool {
        let words = machineWords
        guard Self.isShort(words.1) else { return withBytes { $0.hasBytes(of: bytes) } }
        // They lie in the words as in a text of C, if the machine has the low byte first, as all have that Swift runs on.
        let count = Int(words.1 >> 56 & 0xF)
        return withUnsafeBytes(of: words) { UnsafeRawBufferPointer(rebasing: $0[..<count]).hasBytes(of: bytes) }
    }

    @usableFromInline
    package func hasBytes(of other: String) -> Bool {
        utf8.count == other.utf8.count && withBytes { left in other.withBytes { left.hasBytes(of: $0) } }
    }
}

/// What a text is made of, for somebody who compares it and keeps it elsewhere: to look at it counts nothing.
@usableFromInline
package struct TextWords: Sendable {
    @usableFromInline let words: (UInt64, UInt64)

    @inlinable @inline(__always)
    package init(_ text: String) { words = text.machineWords }

    private init(_ first: UInt64, _ second: UInt64) { words = (first, second) }

    /// Of no text.
    package static let none = TextWords(0, 0)

    /// Whether it is a short text of ASCII: then no other words are the same text, in whichever way it is spelt.
    @inlinable @inline(__always)
    package var isShortASCII: Bool { words.1 >> 60 == 0xE }

    @inlinable @inline(__always)
    package static func == (left: TextWords, right: TextWords) -> Bool { left.words == right.words }
}

/// A text that somebody else keeps: to hand it on counts nothing.
@usableFromInline
package struct LentText {
    @usableFromInline let words: TextWords

    @inlinable @inline(__always)
    package init(_ text: String) { words = TextWords(text) }

    /// The text to keep; as long as somebody else does.
    package var text: String {
        withUnsafeBytes(of: words) { $0.assumingMemoryBound(to: String.self)[0] }  // it was made of one
    }
}

extension String {
    /// Whether Swift takes both for the same text, with a glance where they are short and of ASCII.
    @inlinable @inline(__always)
    package func isEqual(to other: String) -> Bool {
        let (left, right) = (TextWords(self), TextWords(other))
        return left == right || !(left.isShortASCII && right.isShortASCII) && self == other
    }
}

extension UnsafeRawBufferPointer {
    /// Of a text with these bytes: eight at a time, each multiplied in.
    package var textHash: UInt64 {
        if count < 16 { return .textHash(word(at: 0), word(at: 8), count: count) }
        var hash = UInt64(count)
        var place = 0
        while place + 8 < count {
            hash.mix(loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        hash.mix(lastWord)
        return hash
    }

    /// The bytes there as a word, as far as there are any.
    private func word(at place: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in stride(from: Swift.min(count, place + 8) - 1, through: place, by: -1) {
            word = word << 8 | UInt64(self[index])
        }
        return word
    }

    /// Whether the bytes are the same ones.
    package func hasBytes(of other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var place = 0
        while place + 8 < count {
            let (left, right) = (
                loadUnaligned(fromByteOffset: place, as: UInt64.self),
                other.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            )
            if left != right { return false }
            place += 8
        }
        return lastWord == other.lastWord
    }

    /// The last eight bytes, or all there are: of as many bytes, others give another word.
    @inline(__always)
    private var lastWord: UInt64 {
        if count >= 8 { return loadUnaligned(fromByteOffset: count - 8, as: UInt64.self) }
        if count >= 4 {
            let (first, last) = (
                loadUnaligned(fromByteOffset: 0, as: UInt32.self),
                loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
            )
            return UInt64(first) << 32 | UInt64(last)
        }
        guard count > 0 else { return 0 }
        return UInt64(self[0]) << 16 | UInt64(self[count / 2]) << 8 | UInt64(self[count - 1])
    }
}

extension UInt64 {
    /// Of a text of less than 16 bytes.
    fileprivate static func textHash(_ first: UInt64, _ second: UInt64, count: Int) -> UInt64 {
        var hash = UInt64(count)
        hash.mix(first)
        if count > 8 { hash.mix(second) }
        return hash
    }

    /// Both halves of a product, as in wyhash: every bit of the word tells on every bit of the hash.
    fileprivate mutating func mix(_ word: UInt64) {
        let product = (self ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        self = product.high ^ product.low
    }
}
