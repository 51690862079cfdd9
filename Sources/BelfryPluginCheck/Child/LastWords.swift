import CLinux

/// What a child said when the plugin ended it.
struct LastWords {
    let signal: Int32
    let step: String
    let piece: Piece?

    /// A piece of memory that was lent to the plugin, and the address that it stepped on.
    struct Piece {
        let name: String
        /// The step in which it was lent.
        let lender: String
        let isLent: Bool
        /// Bytes from its start.
        let offset: Int
        let length: Int
    }

    /// Nil if the output does not end in last words.
    init?(_ output: [UInt8]) {
        let size = MemoryLayout<belfry_last_words>.size
        guard output.count >= size else { return nil }
        let words = output.suffix(size).withUnsafeBytes { $0.loadUnaligned(as: belfry_last_words.self) }
        guard words.magic == BELFRY_LAST_WORDS_MAGIC else { return nil }
        signal = words.signal
        step = text(words.step)
        let name = text(words.piece)
        piece =
            name.isEmpty
            ? nil
            : Piece(
                name: name, lender: text(words.lender), isLent: words.is_lent != 0,
                offset: Int(bitPattern: UInt(words.address &- words.start)), length: Int(words.length))
    }
}

/// A C array of characters up to its NUL.
private func text<Array>(_ array: Array) -> String {
    withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
